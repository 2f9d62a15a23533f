#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Every property can be read and is what its getter says; takes what it is set to, and tells of a
change and of nothing else; and has the default and the range that its documentation names.

usage: test-properties.py GIR
"""

import re
import unittest

import every
import gir
import tap_unittest
from asb_test import Asb, Gio, GLib, GObject

UNITS = {None: 1, "KiB": 2**10, "MiB": 2**20}


VALUES = {
    "gchararray": "another",
    "GStrv": ["A=1", "B=2"],
    "GHashTable": {"key": "value"},
}
VARIANTS = {"states": GLib.Variant("as", ["running", "failed"])}
ITEMS = {
    "mounts": Asb.Mount.new("/tmp", "/data", Asb.MountMode.OVERLAY),
    "uploads": Asb.UploadSpec.new("/tmp", "/workspace"),
    "rules": Asb.NetworkRule.new(Asb.NetworkAction.ALLOW, "example.org"),
}


def list_of(item):
    store = Gio.ListStore.new(type(item).__gtype__)
    store.append(item)
    return store


def another_object(pspec):
    if pspec.value_type.is_a(Asb.Provider.__gtype__):
        return Asb.Registry.get_default().create_provider("mock", None)
    if pspec.value_type.is_a(Asb.HistoryStore.__gtype__):
        return Asb.Registry.get_default().create_history_store("memory", None)
    return every.SUBJECTS.make(pspec.value_type.name.removeprefix("Asb"))


def another_value(pspec):
    """Something to set a property to that is not its default."""
    if pspec.value_type.is_a(GObject.TYPE_ENUM):
        return pspec.enum_class(0 if int(pspec.default_value) else 1)
    if pspec.value_type.is_a(GObject.TYPE_FLAGS):
        return pspec.flags_class(1)
    if hasattr(pspec, "maximum"):
        if pspec.default_value < pspec.maximum:
            return min(pspec.default_value + 1, pspec.maximum)
        return pspec.default_value - 1
    if pspec.value_type == GObject.TYPE_BOOLEAN:
        return not pspec.default_value
    if pspec.value_type == GObject.TYPE_VARIANT:
        return VARIANTS.get(pspec.name, GLib.Variant("a{sv}", {"key": GLib.Variant("s", "value")}))
    if pspec.value_type == Gio.ListModel.__gtype__:
        return list_of(ITEMS[pspec.name])
    if pspec.value_type.name == "GBytes":
        return GLib.Bytes.new(b"bytes")
    return VALUES.get(pspec.value_type.name) or another_object(pspec)


def plain(value):
    """A value that can be compared: lists are taken as copies, and bytes have no equality."""
    if isinstance(value, Gio.ListModel):
        return list(value)
    if isinstance(value, GLib.Bytes):
        return value.get_data()
    return value


def read(instance, pspec):
    return plain(getattr(instance.props, pspec.name.replace("-", "_")))


def getter(instance, pspec):
    return plain(getattr(instance, f"get_{pspec.name.replace('-', '_')}")())


def write(instance, pspec, value):
    setattr(instance.props, pspec.name.replace("-", "_"), value)


def number(text):
    figures, unit = re.fullmatch(r"([\d,.]+?)\.?(?: (KiB|MiB)\.?)?", text).groups()
    return float(figures.replace(",", "")) * UNITS[unit]


def documented_default(element):
    text = " ".join(element.find(gir.CORE + "doc").text.split())
    found = re.search(r"[Tt]he default is (`[^`]+`|%\w+|[\d,.]+(?: [KM]iB)?)", text)
    return found and found[1]


def said(pspec):
    """How a default is written, as far as it has to be."""
    default = pspec.default_value
    if pspec.value_type.is_a(GObject.TYPE_ENUM):
        return "%" + default.value_name
    return default if isinstance(default, (str, float, int)) else None


def is_same(text, default):
    if isinstance(default, bool):
        return text == ("%TRUE" if default else "%FALSE")
    if isinstance(default, str):
        return text in (default, f"`{default}`")
    return number(text) == default


def properties():
    for parent in every.NAMESPACE.findall(gir.CORE + "class"):
        for element in parent.findall(gir.CORE + "property"):
            yield parent.get("name"), element, getattr(Asb, parent.get("name")).find_property(
                element.get("name"))


def made_with(name, pspec, value):
    """A new object with that; a table that cannot be set is given to a function instead."""
    return getattr(Asb, name)(**{pspec.name.replace("-", "_"): value})


def is_settable(pspec):
    return bool(pspec.flags & GObject.ParamFlags.WRITABLE
                and not pspec.flags & GObject.ParamFlags.CONSTRUCT_ONLY)


class TestProperties(unittest.TestCase):
    @classmethod
    def tearDownClass(cls):
        every.SUBJECTS.renew()

    def check_reading(self, name, pspec):
        instance = every.SUBJECTS.make(name)
        self.assertEqual(read(instance, pspec), getter(instance, pspec))

    def check_setting(self, name, pspec):
        instance, value, told = every.SUBJECTS.make(name), another_value(pspec), []
        instance.connect(f"notify::{pspec.name}", lambda *arguments: told.append(1))
        self.assertNotEqual(read(instance, pspec), plain(value))
        write(instance, pspec, value)
        self.assertEqual(read(instance, pspec), plain(value))
        self.assertEqual(getter(instance, pspec), plain(value))
        self.assertEqual(len(told), 1, "told of a change")
        if not isinstance(value, Gio.ListModel):
            write(instance, pspec, value if isinstance(value, GObject.Object) else another_value(pspec))
            self.assertEqual(len(told), 1, "told of no change")

    def check_making(self, name, pspec):
        value = another_value(pspec)
        self.assertEqual(read(made_with(name, pspec, value), pspec), plain(value))

    def check_making_without(self, name, pspec):
        with self.assertRaisesRegex(TypeError, rf"Asb\.{name}\.new"):
            made_with(name, pspec, another_value(pspec))

    def check_default(self, element, pspec):
        text, default = documented_default(element), said(pspec)
        if text:
            self.assertTrue(is_same(text, default), f"{text} is not {default}")
        else:
            self.assertIn(default, (None, False, 0, -1, 1), "a default that is not documented")


def add(name, check, *arguments):
    setattr(TestProperties, name, lambda self: getattr(self, check)(*arguments))


for owner, element, pspec in properties():
    add(f"test_{owner}_{pspec.name}_is_read", "check_reading", owner, pspec)
    if pspec.value_type.name == "GHashTable" and pspec.flags & GObject.ParamFlags.WRITABLE:
        add(f"test_{owner}_{pspec.name}_is_made_with",
            "check_making" if is_settable(pspec) else "check_making_without", owner, pspec)
    if is_settable(pspec):
        add(f"test_{owner}_{pspec.name}_is_set", "check_setting", owner, pspec)
        add(f"test_{owner}_{pspec.name}_has_its_default", "check_default", element, pspec)

if __name__ == "__main__":
    tap_unittest.main()
