/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "asb-opensandbox-bundle.h"

#include <string.h>
#include <sys/stat.h>

#include "archive-member.h"
#include "asb-opensandbox-shell.h"

/* Of all names and targets. */
#define MAX_SIZE (64 * 1024 * 1024)

/* So many names are given to one program. */
#define NAMES_AT_ONCE 100

#define DEFAULT_FOLDER_MODE 0755
#define OWNER_BITS 0700

typedef enum
{
  NODE_FOLDER,
  NODE_FILE,
  NODE_LINK
} NodeKind;

/* The bytes of a file, which may have several names, or no more any. */
typedef struct
{
  guint number; /* 0: it is where the name it came with says */
  char *named;
  guint n_names;
  AsbOpensandboxBundleInfo info;
  char *hash; /* (nullable) */
} Content;

typedef struct
{
  char *path; /* empty for the folder itself */
  NodeKind kind;
  AsbOpensandboxBundleInfo info;
  Content *content;
  char *target;
  GPtrArray *children; /* of Node, while the pairs are listed */
} Node;

struct _AsbOpensandboxBundle
{
  char *named;
  char *numbered;
  GHashTable *nodes;    /* by their paths */
  GHashTable *occupied; /* the names that were uploaded to */
  GPtrArray *contents;
  guint n_numbered;
  gsize size;
  GPtrArray *numbers; /* of Node: what the pairs are called */
};

static void
node_free (gpointer data)
{
  Node *node = data;

  g_clear_pointer (&node->children, g_ptr_array_unref);
  g_free (node->path);
  g_free (node->target);
  g_free (node);
}

static void
content_free (gpointer data)
{
  Content *content = data;

  g_free (content->named);
  g_free (content->hash);
  g_free (content);
}

static Node *
add_node (AsbOpensandboxBundle *self, const char *path, NodeKind kind,
          const AsbOpensandboxBundleInfo *info)
{
  Node *node = g_new0 (Node, 1);

  node->path = g_strdup (path);
  node->kind = kind;
  node->info = *info;
  self->size += strlen (path) + sizeof *node;
  g_hash_table_replace (self->nodes, node->path, node);
  return node;
}

AsbOpensandboxBundle *
asb_opensandbox_bundle_new (const char *named, const char *numbered)
{
  AsbOpensandboxBundle *self = g_new0 (AsbOpensandboxBundle, 1);
  const AsbOpensandboxBundleInfo info = { .mode = DEFAULT_FOLDER_MODE };

  self->named = g_strdup (named);
  self->numbered = g_strdup (numbered);
  self->nodes = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, node_free);
  self->occupied = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->contents = g_ptr_array_new_with_free_func (content_free);
  self->numbers = g_ptr_array_new ();
  add_node (self, "", NODE_FOLDER, &info);
  return self;
}

void
asb_opensandbox_bundle_free (AsbOpensandboxBundle *self)
{
  g_ptr_array_unref (self->numbers);
  g_ptr_array_unref (self->contents);
  g_hash_table_unref (self->occupied);
  g_hash_table_unref (self->nodes);
  g_free (self->named);
  g_free (self->numbered);
  g_free (self);
}

gboolean
asb_opensandbox_bundle_is_full (AsbOpensandboxBundle *self)
{
  return self->size > MAX_SIZE;
}

/* Members. */

/* The folders a name lies in come to be, whether or not the archive has them. */
static const char *
add_parents (AsbOpensandboxBundle *self, const char *path)
{
  const AsbOpensandboxBundleInfo info = { .mode = DEFAULT_FOLDER_MODE };

  for (const char *slash = strchr (path, '/'); slash; slash = strchr (slash + 1, '/'))
    {
      g_autofree char *parent = g_strndup (path, (gsize)(slash - path));
      Node *node = g_hash_table_lookup (self->nodes, parent);

      if (!node)
        add_node (self, parent, NODE_FOLDER, &info);
      else if (node->kind != NODE_FOLDER)
        return ARCHIVE_MEMBER_IN_NO_FOLDER;
    }
  return NULL;
}

/* Of two members with one name the later counts. */
static const char *
clear_way (AsbOpensandboxBundle *self, const char *path)
{
  const char *why = add_parents (self, path);
  Node *node = g_hash_table_lookup (self->nodes, path);

  if (why)
    return why;
  if (node && node->kind == NODE_FOLDER)
    return ARCHIVE_MEMBER_IS_FOLDER;
  if (node && node->content)
    node->content->n_names--;
  return NULL;
}

const char *
asb_opensandbox_bundle_add_folder (AsbOpensandboxBundle *self, const char *path,
                                   const AsbOpensandboxBundleInfo *info)
{
  const char *why = add_parents (self, path);
  Node *node = g_hash_table_lookup (self->nodes, path);

  if (why)
    return why;
  if (!node)
    add_node (self, path, NODE_FOLDER, info);
  else if (node->kind == NODE_FOLDER)
    node->info = *info;
  else
    return ARCHIVE_MEMBER_IS_NO_FOLDER;
  return NULL;
}

const char *
asb_opensandbox_bundle_add_link (AsbOpensandboxBundle *self, const char *path, const char *target,
                                 const AsbOpensandboxBundleInfo *info)
{
  const char *why = clear_way (self, path);

  if (why)
    return why;
  add_node (self, path, NODE_LINK, info)->target = g_strdup (target);
  self->size += strlen (target);
  return NULL;
}

const char *
asb_opensandbox_bundle_add_hard_link (AsbOpensandboxBundle *self, const char *path,
                                      const char *target)
{
  const char *why = add_parents (self, path);
  Node *first = g_hash_table_lookup (self->nodes, target);
  Content *content = first ? first->content : NULL;

  if (!why && !content)
    why = ARCHIVE_MEMBER_LINKS_NO_FILE;
  if (!why)
    why = clear_way (self, path);
  if (why)
    return why;
  content->n_names++;
  add_node (self, path, NODE_FILE, &content->info)->content = content;
  return NULL;
}

/* Uploading to a name twice would change what another name may still stand for. */
static char *
find_place (AsbOpensandboxBundle *self, Content *content, const char *path)
{
  g_autofree char *place = g_strdup_printf ("%s/%s", self->named, path);

  if (asb_opensandbox_shell_is_plain_path (place) && strlen (place) < PATH_MAX
      && g_hash_table_add (self->occupied, g_strdup (path)))
    {
      content->named = g_strdup (path);
      self->size += 2 * strlen (path);
      return g_steal_pointer (&place);
    }
  content->number = ++self->n_numbered;
  return g_strdup_printf ("%s/%u", self->numbered, content->number);
}

const char *
asb_opensandbox_bundle_add_file (AsbOpensandboxBundle *self, const char *path,
                                 const AsbOpensandboxBundleInfo *info, char **place)
{
  const char *why = clear_way (self, path);
  Content *content;

  if (why)
    return why;
  content = g_new0 (Content, 1);
  content->info = *info;
  content->info.hash = NULL;
  content->hash = g_strdup (info->hash);
  content->n_names = 1;
  g_ptr_array_add (self->contents, content);
  self->size += sizeof *content;
  *place = find_place (self, content, path);
  add_node (self, path, NODE_FILE, &content->info)->content = content;
  return NULL;
}

/* Lists. They are uploaded as files, so that their bytes arrive as they are. */

static void
append_word (GString *list, const char *prefix, const char *bytes)
{
  g_string_append (list, " '");
  g_string_append (list, prefix);
  for (; *bytes; bytes++)
    if (*bytes == '\'')
      g_string_append (list, "'\\''");
    else
      g_string_append_c (list, *bytes);
  g_string_append_c (list, '\'');
}

/* A path in the folder. */
static void
append_path (GString *list, const char *path)
{
  if (*path)
    append_word (list, "./", path);
  else
    g_string_append (list, " .");
}

static void
append_content (GString *list, const Content *content)
{
  if (content->number == 0)
    append_path (list, content->named);
  else
    g_string_append_printf (list, " ../f/%u", content->number);
}

static int
compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(Node *const *)a)->path, (*(Node *const *)b)->path);
}

/* A folder comes before what is in it. */
static GPtrArray *
sort_nodes (AsbOpensandboxBundle *self)
{
  GPtrArray *nodes = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer node;

  g_hash_table_iter_init (&iter, self->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &node))
    g_ptr_array_add (nodes, node);
  g_ptr_array_sort (nodes, compare_paths);
  return nodes;
}

static GPtrArray *
select_nodes (GPtrArray *nodes, gboolean (*wanted) (const Node *node))
{
  GPtrArray *selected = g_ptr_array_new ();

  for (guint i = 0; i < nodes->len; i++)
    if (wanted (nodes->pdata[i]))
      g_ptr_array_add (selected, nodes->pdata[i]);
  return selected;
}

/* What says the same of many names says it of all of them at once. */
typedef struct
{
  const char *command;
  guint base; /* the key is written to; 0: there is none */
  gint64 (*key) (const Node *node);
} Grouping;

static int
compare_keys (gconstpointer a, gconstpointer b, gpointer data)
{
  const Grouping *grouping = data;
  gint64 first = grouping->key (*(Node *const *)a);
  gint64 second = grouping->key (*(Node *const *)b);

  return first != second ? (first < second ? -1 : 1) : compare_paths (a, b);
}

static void
append_key (GString *list, const Grouping *grouping, gint64 key)
{
  if (grouping->base == 8)
    g_string_append_printf (list, " %" G_GINT64_MODIFIER "o", (guint64)key);
  else if (grouping->base == 10)
    g_string_append_printf (list, " %" G_GINT64_FORMAT, key);
}

/* Takes @nodes. */
static void
list_groups (GString *list, GPtrArray *nodes, const Grouping *grouping)
{
  guint n = 0;

  g_ptr_array_sort_with_data (nodes, compare_keys, (gpointer)grouping);
  for (guint i = 0; i < nodes->len; i++)
    {
      const Node *node = nodes->pdata[i];
      gint64 key = grouping->key (node);

      if (n == 0)
        {
          g_string_append (list, grouping->command);
          append_key (list, grouping, key);
        }
      append_path (list, node->path);
      n = (n + 1) % NAMES_AT_ONCE;
      if (i + 1 == nodes->len || grouping->key (nodes->pdata[i + 1]) != key)
        n = 0;
      if (n == 0)
        g_string_append_c (list, '\n');
    }
  g_ptr_array_unref (nodes);
}

static gint64
get_no_key (const Node *node)
{
  return 0;
}

static gint64
get_mode (const Node *node)
{
  return node->info.mode;
}

static gint64
get_time (const Node *node)
{
  return node->info.time;
}

static gboolean
is_folder (const Node *node)
{
  return node->kind == NODE_FOLDER && *node->path;
}

static gboolean
is_file_without_mode (const Node *node)
{
  return node->content && node->info.mode == 0;
}

static gboolean
is_open_folder (const Node *node)
{
  return is_folder (node) && (node->info.mode & OWNER_BITS) == OWNER_BITS;
}

static gboolean
is_shut_folder (const Node *node)
{
  return is_folder (node) && (node->info.mode & OWNER_BITS) != OWNER_BITS;
}

static gboolean
has_time (const Node *node)
{
  return node->kind != NODE_LINK && node->info.has_time && *node->path;
}

static gboolean
is_link_with_time (const Node *node)
{
  return node->kind == NODE_LINK && node->info.has_time;
}

static const Grouping FOLDERS = { "D", 0, get_no_key };
static const Grouping MODES = { "M", 8, get_mode };
static const Grouping TIMES = { "T", 10, get_time };
static const Grouping LINK_TIMES = { "H", 10, get_time };

/* What lies under a name that is no longer its own makes room for what is. */
static void
list_displaced (AsbOpensandboxBundle *self, GString *list)
{
  for (guint i = 0; i < self->contents->len; i++)
    {
      Content *content = self->contents->pdata[i];
      Node *node = content->number == 0 ? g_hash_table_lookup (self->nodes, content->named) : NULL;

      if (content->number != 0 || node->content == content)
        continue;
      g_string_append (list, content->n_names > 0 ? "V" : "X");
      append_path (list, content->named);
      content->number = ++self->n_numbered;
      if (content->n_names > 0)
        append_content (list, content);
      g_string_append_c (list, '\n');
    }
}

static void
list_names (GString *list, GPtrArray *nodes)
{
  for (guint i = 0; i < nodes->len; i++)
    {
      const Node *node = nodes->pdata[i];
      Content *content = node->content;

      if (!content || (content->number == 0 && strcmp (content->named, node->path) == 0))
        continue;
      g_string_append_c (list, content->number == 0 ? 'L' : 'V');
      append_content (list, content);
      append_path (list, node->path);
      g_string_append_c (list, '\n');
      if (content->number == 0)
        continue;
      content->number = 0;
      g_free (content->named);
      content->named = g_strdup (node->path);
    }
}

static void
list_links (GString *list, GPtrArray *nodes)
{
  for (guint i = 0; i < nodes->len; i++)
    {
      const Node *node = nodes->pdata[i];

      if (node->kind != NODE_LINK)
        continue;
      g_string_append (list, "K");
      append_word (list, "", node->target);
      append_path (list, node->path);
      g_string_append_c (list, '\n');
    }
}

/* The folder itself. */
static void
list_root (AsbOpensandboxBundle *self, GString *list)
{
  const Node *root = g_hash_table_lookup (self->nodes, "");

  if (root->info.has_time)
    g_string_append_printf (list, "T %" G_GINT64_FORMAT " .\n", root->info.time);
  g_string_append_printf (list, "M %o .\n", root->info.mode | OWNER_BITS);
}

char *
asb_opensandbox_bundle_list (AsbOpensandboxBundle *self, gboolean is_new)
{
  g_autoptr (GPtrArray) nodes = sort_nodes (self);
  GString *list = g_string_new (NULL);

  list_groups (list, select_nodes (nodes, is_folder), &FOLDERS);
  list_displaced (self, list);
  list_names (list, nodes);
  list_links (list, nodes);
  list_groups (list, select_nodes (nodes, is_file_without_mode), &MODES);
  list_groups (list, select_nodes (nodes, has_time), &TIMES);
  list_groups (list, select_nodes (nodes, is_link_with_time), &LINK_TIMES);
  list_groups (list, select_nodes (nodes, is_open_folder), &MODES);
  if (is_new)
    list_root (self, list);
  return g_string_free (list, FALSE);
}

static void
list_deepest_first (GString *list, GPtrArray *nodes)
{
  for (guint i = nodes->len; i > 0; i--)
    {
      const Node *node = nodes->pdata[i - 1];

      g_string_append_printf (list, "O %o", node->info.mode);
      append_path (list, node->path);
      g_string_append_c (list, '\n');
    }
}

char *
asb_opensandbox_bundle_list_last (AsbOpensandboxBundle *self, gboolean is_new)
{
  g_autoptr (GPtrArray) nodes = sort_nodes (self);
  g_autoptr (GPtrArray) shut = select_nodes (nodes, is_shut_folder);
  const Node *root = g_hash_table_lookup (self->nodes, "");
  GString *list = g_string_new (NULL);

  list_deepest_first (list, shut);
  if (is_new && (root->info.mode & OWNER_BITS) != OWNER_BITS)
    g_string_append_printf (list, "O %o .\n", root->info.mode);
  return g_string_free (list, FALSE);
}

/* Sums. */

static gboolean
is_odd (const char *path)
{
  return strpbrk (path, "\\\n\r") != NULL;
}

/* Who may not read it cannot say what it comes to. */
static gboolean
has_any_sum (const Node *node)
{
  return node->content && node->content->hash && node->info.mode & S_IRUSR;
}

static gboolean
has_sum (const Node *node)
{
  return has_any_sum (node) && !is_odd (node->path);
}

static gboolean
has_odd_sum (const Node *node)
{
  return has_any_sum (node) && is_odd (node->path);
}

char *
asb_opensandbox_bundle_list_sums (AsbOpensandboxBundle *self)
{
  g_autoptr (GPtrArray) nodes = sort_nodes (self);
  g_autoptr (GPtrArray) told = select_nodes (nodes, has_sum);
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < told->len; i++)
    {
      const Node *node = told->pdata[i];

      g_string_append_printf (list, "%s  ./%s\n", node->content->hash, node->path);
    }
  return g_string_free (list, FALSE);
}

char *
asb_opensandbox_bundle_list_odd_sums (AsbOpensandboxBundle *self)
{
  g_autoptr (GPtrArray) nodes = sort_nodes (self);
  g_autoptr (GPtrArray) told = select_nodes (nodes, has_odd_sum);
  GString *list = g_string_new (NULL);

  for (guint i = 0; i < told->len; i++)
    {
      const Node *node = told->pdata[i];

      g_string_append_printf (list, "S %s", node->content->hash);
      append_path (list, node->path);
      g_string_append_c (list, '\n');
    }
  return g_string_free (list, FALSE);
}

/* Pairs. */

static void
gather_children (AsbOpensandboxBundle *self, GPtrArray *nodes)
{
  for (guint i = 0; i < nodes->len; i++)
    {
      Node *node = nodes->pdata[i];
      const char *slash = strrchr (node->path, '/');
      g_autofree char *directory = g_strndup (node->path, slash ? (gsize)(slash - node->path) : 0);
      Node *parent = g_hash_table_lookup (self->nodes, directory);

      if (parent == node)
        continue;
      if (!parent->children)
        parent->children = g_ptr_array_new ();
      g_ptr_array_add (parent->children, node);
    }
}

static void
list_pair (AsbOpensandboxBundle *self, GString *list, Node *node)
{
  const char *slash = strrchr (node->path, '/');

  g_string_append (list, node->kind == NODE_FOLDER ? " d" : " f");
  append_word (list, "", slash ? slash + 1 : node->path);
  g_ptr_array_add (self->numbers, node);
}

static void
list_children (AsbOpensandboxBundle *self, GString *list, const Node *node)
{
  for (guint i = 0; node->children && i < node->children->len; i++)
    {
      if (i % NAMES_AT_ONCE == 0)
        {
          g_string_append_c (list, 'n');
          append_path (list, node->path);
          g_string_append_printf (list, " %u", self->numbers->len);
        }
      list_pair (self, list, node->children->pdata[i]);
      if ((i + 1) % NAMES_AT_ONCE == 0 || i + 1 == node->children->len)
        g_string_append_c (list, '\n');
    }
}

char *
asb_opensandbox_bundle_list_pairs (AsbOpensandboxBundle *self)
{
  g_autoptr (GPtrArray) nodes = sort_nodes (self);
  GString *list = g_string_new (NULL);

  g_ptr_array_set_size (self->numbers, 0);
  gather_children (self, nodes);
  for (guint i = 0; i < nodes->len; i++)
    list_children (self, list, nodes->pdata[i]);
  return g_string_free (list, FALSE);
}

const char *
asb_opensandbox_bundle_get_name (AsbOpensandboxBundle *self, guint64 number)
{
  return number < self->numbers->len ? ((Node *)self->numbers->pdata[number])->path : NULL;
}
