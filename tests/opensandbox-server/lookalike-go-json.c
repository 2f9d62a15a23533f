/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lookalike-go-json.h"

#include <string.h>

const LookalikeGoType lookalike_go_string = { .kind = LOOKALIKE_GO_STRING, .name = "string" };
const LookalikeGoType lookalike_go_bool = { .kind = LOOKALIKE_GO_BOOL, .name = "bool" };
const LookalikeGoType lookalike_go_int = { .kind = LOOKALIKE_GO_INT, .name = "int" };
const LookalikeGoType lookalike_go_int64 = { .kind = LOOKALIKE_GO_INT, .name = "int64" };
const LookalikeGoType lookalike_go_uint32
    = { .kind = LOOKALIKE_GO_UINT32_POINTER, .name = "uint32" };

/* Only what was scanned is decoded: nothing in it can be wrong but the types. */
typedef struct
{
  const char *at;
  const char *owner; /* the struct of the field that is read, or NULL */
  GPtrArray *fields; /* the way to it */
  char *fault;       /* the first one */
} Decoder;

static JsonNode *decode_value (Decoder *self, const LookalikeGoType *type, JsonNode *before);

static void
skip_space (Decoder *self)
{
  self->at += strspn (self->at, " \t\r\n");
}

static void
skip_string (Decoder *self)
{
  for (self->at++; *self->at != '"'; self->at++)
    if (*self->at == '\\')
      self->at++;
  self->at++;
}

static void
skip_word (Decoder *self)
{
  while (g_ascii_isalnum (*self->at) || (*self->at != '\0' && strchr ("+-.", *self->at) != NULL))
    self->at++;
}

static void
skip_value (Decoder *self)
{
  guint depth = 0;

  do
    {
      skip_space (self);
      if (*self->at == '"')
        skip_string (self);
      else if (strchr ("{[", *self->at) != NULL)
        depth++, self->at++;
      else if (strchr ("}]", *self->at) != NULL)
        depth--, self->at++;
      else if (strchr (",:", *self->at) != NULL)
        self->at++;
      else
        skip_word (self);
      skip_space (self);
    }
  while (depth > 0);
}

static gunichar
read_hex (const char *digits)
{
  gunichar value = 0;

  for (guint i = 0; i < 4; i++)
    value = value << 4 | (gunichar)g_ascii_xdigit_value (digits[i]);
  return value;
}

/* After the "u"; half of a pair without the other is U+FFFD. */
static void
read_unicode (Decoder *self, GString *text)
{
  gunichar value = read_hex (self->at);
  gunichar other;

  self->at += 4;
  if (value >= 0xd800 && value < 0xdc00 && self->at[0] == '\\' && self->at[1] == 'u')
    {
      other = read_hex (self->at + 2);
      if (other >= 0xdc00 && other < 0xe000)
        {
          value = 0x10000 + ((value - 0xd800) << 10) + (other - 0xdc00);
          self->at += 6;
        }
    }
  g_string_append_unichar (text, value >= 0xd800 && value < 0xe000 ? 0xfffd : value);
}

static void
read_escape (Decoder *self, GString *text)
{
  const char *const letters = "bfnrt";
  const char *found = strchr (letters, *++self->at);

  if (*self->at++ == 'u')
    read_unicode (self, text);
  else
    g_string_append_c (text, found != NULL ? "\b\f\n\r\t"[found - letters] : self->at[-1]);
}

static char *
read_string (Decoder *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const char *start = self->at;
  const char *end;

  skip_string (self);
  end = self->at - 1;
  for (self->at = start + 1; self->at < end;)
    {
      gunichar character = g_utf8_get_char_validated (self->at, end - self->at);

      if (*self->at == '\\')
        read_escape (self, text);
      else if (character == (gunichar)-1 || character == (gunichar)-2)
        g_string_append (text, "\357\277\275"), self->at++;
      else
        g_string_append_unichar (text, character), self->at = g_utf8_next_char (self->at);
    }
  self->at++;
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static const char *
name_kind (char first)
{
  switch (first)
    {
    case '{':
      return "object";
    case '[':
      return "array";
    case '"':
      return "string";
    case 't':
    case 'f':
      return "bool";
    default:
      return "number";
    }
}

/* What is here cannot be a @type. The first one of the document is told. */
static void
refuse (Decoder *self, const LookalikeGoType *type, const char *number)
{
  g_autofree char *path = NULL;
  g_autofree char *what
      = number != NULL ? g_strconcat ("number ", number, NULL) : g_strdup (name_kind (*self->at));

  if (self->fault != NULL)
    return;
  if (self->owner == NULL)
    {
      self->fault = g_strdup_printf ("json: cannot unmarshal %s into Go value of type %s", what,
                                     type->name);
      return;
    }
  g_ptr_array_add (self->fields, NULL);
  path = g_strjoinv (".", (char **)self->fields->pdata);
  g_ptr_array_set_size (self->fields, (int)self->fields->len - 1);
  self->fault = g_strdup_printf ("json: cannot unmarshal %s into Go struct field %s.%s of type %s",
                                 what, self->owner, path, type->name);
}

/* Go compares with the case folded, of the Kelvin sign and the long s too. */
static char *
fold (const char *name)
{
  g_autoptr (GString) folded = g_string_new (NULL);

  for (; *name != '\0'; name = g_utf8_next_char (name))
    {
      gunichar character = g_utf8_get_char (name);

      g_string_append_unichar (folded, character == 0x212a  ? 'k'
                                       : character == 0x17f ? 's'
                                                            : g_unichar_tolower (character));
    }
  return g_string_free (g_steal_pointer (&folded), FALSE);
}

static const LookalikeGoField *
find_field (const LookalikeGoType *type, const char *name)
{
  g_autofree char *folded = fold (name);

  for (const LookalikeGoField *field = type->fields; field->name != NULL; field++)
    if (g_str_equal (field->name, folded))
      return field;
  return NULL;
}

static const char *
short_name (const LookalikeGoType *type)
{
  const char *dot = strchr (type->name, '.');

  return dot != NULL ? dot + 1 : type->name;
}

static void
decode_field (Decoder *self, const LookalikeGoType *type, const LookalikeGoField *field,
              JsonObject *object)
{
  const char *owner = self->owner;
  guint depth = self->fields->len;
  JsonNode *value;

  self->owner = short_name (type);
  if (field->embedded != NULL)
    g_ptr_array_add (self->fields, (gpointer)field->embedded);
  g_ptr_array_add (self->fields, (gpointer)field->name);
  value = decode_value (self, field->type, json_object_get_member (object, field->name));
  if (value != NULL)
    json_object_set_member (object, field->name, value);
  g_ptr_array_set_size (self->fields, (int)depth);
  self->owner = owner;
}

/* An element that is null, or wrong, is an empty one. */
static JsonNode *
decode_element (Decoder *self, const LookalikeGoType *type)
{
  JsonNode *value = decode_value (self, type, NULL);

  if (value != NULL)
    return value;
  value = json_node_alloc ();
  if (type->kind != LOOKALIKE_GO_STRUCT)
    return json_node_init_string (value, "");
  json_node_init (value, JSON_NODE_OBJECT);
  json_node_take_object (value, json_object_new ());
  return value;
}

static void
decode_member (Decoder *self, const LookalikeGoType *type, JsonObject *object)
{
  g_autofree char *name = read_string (self);
  const LookalikeGoField *field = type->fields != NULL ? find_field (type, name) : NULL;

  skip_space (self);
  self->at++;
  if (type->kind == LOOKALIKE_GO_MAP)
    json_object_set_member (object, name, decode_element (self, type->element));
  else if (field != NULL)
    decode_field (self, type, field, object);
  else
    skip_value (self);
}

static JsonNode *
decode_object (Decoder *self, const LookalikeGoType *type, JsonNode *before)
{
  g_autoptr (JsonObject) object = before != NULL && JSON_NODE_HOLDS_OBJECT (before)
                                      ? json_node_dup_object (before)
                                      : json_object_new ();

  self->at++;
  for (skip_space (self); *self->at != '}'; skip_space (self))
    if (*self->at == ',')
      self->at++;
    else
      decode_member (self, type, object);
  self->at++;
  return json_node_init_object (json_node_alloc (), object);
}

static JsonNode *
decode_array (Decoder *self, const LookalikeGoType *type)
{
  g_autoptr (JsonArray) array = json_array_new ();

  self->at++;
  for (skip_space (self); *self->at != ']'; skip_space (self))
    if (*self->at == ',')
      self->at++;
    else
      json_array_add_element (array, decode_element (self, type->element));
  self->at++;
  return json_node_init_array (json_node_alloc (), array);
}

static JsonNode *
decode_number (Decoder *self, const LookalikeGoType *type)
{
  const char *start = self->at;
  g_autofree char *text = NULL;
  gboolean is_small = type->kind == LOOKALIKE_GO_UINT32_POINTER;
  gint64 value;

  skip_word (self);
  text = g_strndup (start, (gsize)(self->at - start));
  if ((is_small && text[0] == '-')
      || !g_ascii_string_to_signed (text, 10, G_MININT64, is_small ? G_MAXUINT32 : G_MAXINT64,
                                    &value, NULL))
    {
      refuse (self, type, text);
      return NULL;
    }
  return json_node_init_int (json_node_alloc (), value);
}

/* null makes nothing of what can be nothing, and leaves the rest as it is. */
static JsonNode *
decode_null (Decoder *self, const LookalikeGoType *type)
{
  skip_word (self);
  return type->kind == LOOKALIKE_GO_UINT32_POINTER || type->kind == LOOKALIKE_GO_MAP
                 || type->kind == LOOKALIKE_GO_SLICE
             ? json_node_init_null (json_node_alloc ())
             : NULL;
}

static gboolean
fits (char first, LookalikeGoKind kind)
{
  switch (kind)
    {
    case LOOKALIKE_GO_STRING:
      return first == '"';
    case LOOKALIKE_GO_BOOL:
      return first == 't' || first == 'f';
    case LOOKALIKE_GO_INT:
    case LOOKALIKE_GO_UINT32_POINTER:
      return first == '-' || g_ascii_isdigit (first);
    case LOOKALIKE_GO_SLICE:
      return first == '[';
    case LOOKALIKE_GO_STRUCT:
    case LOOKALIKE_GO_MAP:
    default:
      return first == '{';
    }
}

/* NULL: @before stays. */
static JsonNode *
decode_value (Decoder *self, const LookalikeGoType *type, JsonNode *before)
{
  g_autofree char *text = NULL;
  char first;

  skip_space (self);
  first = *self->at;
  if (first == 'n')
    return decode_null (self, type);
  if (!fits (first, type->kind))
    {
      refuse (self, type, NULL);
      skip_value (self);
      return NULL;
    }
  if (first == '{')
    return decode_object (self, type, before);
  if (first == '[')
    return decode_array (self, type);
  if (type->kind == LOOKALIKE_GO_INT || type->kind == LOOKALIKE_GO_UINT32_POINTER)
    return decode_number (self, type);
  if (first == '"')
    {
      text = read_string (self);
      return json_node_init_string (json_node_alloc (), text);
    }
  skip_word (self);
  return json_node_init_boolean (json_node_alloc (), first == 't');
}

JsonNode *
lookalike_go_decode (const char *data, gsize size, const LookalikeGoType *type, gboolean whole,
                     GError **error)
{
  const char *end = lookalike_go_scan (data, data + size, whole, error);
  g_autofree char *copy = end != NULL ? g_strndup (data, (gsize)(end - data)) : NULL;
  g_autoptr (GPtrArray) fields = g_ptr_array_new ();
  Decoder decoder = { .at = copy, .fields = fields };
  g_autoptr (JsonNode) node = NULL;

  if (copy == NULL)
    return NULL;
  node = decode_value (&decoder, type, NULL);
  if (decoder.fault != NULL)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, decoder.fault);
      g_free (decoder.fault);
      return NULL;
    }
  return node != NULL ? g_steal_pointer (&node) : json_node_init_null (json_node_alloc ());
}
