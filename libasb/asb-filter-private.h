/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What the filters of lists share. */

#pragma once

#include <gio/gio.h>

typedef gboolean (*AsbFilterMatches) (gpointer filter, gpointer item);

/* Whether @states, an “as” of nicks of @enum_type, has the one of @state. */
gboolean asb_filter_has_state (GVariant *states, GType enum_type, int state);

/* The items @matches lets through that stand on page @number, from 1, of @size items each. Returns:
 * (transfer full): a list of @item_type */
GListModel *asb_filter_select_page (GListModel *items, GType item_type, guint number, guint size,
                                    AsbFilterMatches matches, gpointer filter);
