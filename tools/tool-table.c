/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "tool-table.h"

#include <string.h>
#include <unistd.h>

#include "tool-output.h"
#include "tool-text.h"

#define GAP 2
/* Columns are not made narrower than this, and than the second where all fit by that. */
#define MIN_WIDTH 12
#define LEAST_WIDTH 5

struct _ToolTable
{
  guint n_columns;
  GArray *widths;   /* guint */
  GPtrArray *cells; /* char *, row by row; the titles are the first row */
  guint64 to_right; /* a bit for each column */
};

ToolTable *
tool_table_new (const char *const *titles)
{
  ToolTable *self = g_new0 (ToolTable, 1);

  self->n_columns = g_strv_length ((char **)titles);
  self->widths = g_array_sized_new (FALSE, TRUE, sizeof (guint), self->n_columns);
  g_array_set_size (self->widths, self->n_columns);
  self->cells = g_ptr_array_new_with_free_func (g_free);
  for (guint i = 0; i < self->n_columns; i++)
    {
      const gboolean to_right = *titles[i] == '>';

      self->to_right |= (guint64)to_right << i;
      g_ptr_array_add (self->cells, g_strdup (titles[i] + to_right));
      g_array_index (self->widths, guint, i) = tool_text_get_width (titles[i] + to_right);
    }
  return self;
}

static void
tool_table_free (ToolTable *self)
{
  g_array_unref (self->widths);
  g_ptr_array_unref (self->cells);
  g_free (self);
}

void
tool_table_add_row (ToolTable *self, const char *const *cells)
{
  for (guint i = 0; i < self->n_columns; i++)
    {
      char *cell = tool_text_dup_printable (cells[i] ? cells[i] : "-", -1);
      guint *width = &g_array_index (self->widths, guint, i);

      *width = MAX (*width, tool_text_get_width (cell));
      g_ptr_array_add (self->cells, cell);
    }
}

static void
append_cell (ToolTable *self, GString *text, guint column, const char *cell)
{
  const gboolean to_right = (self->to_right >> column) & 1;
  const guint width = g_array_index (self->widths, guint, column);
  g_autofree char *cut = tool_text_dup_cut (cell, width);
  const int padding = width - MIN (tool_text_get_width (cut), width);

  g_string_append_printf (text, "%*s%s", to_right ? padding : 0, "", cut);
  if (column + 1 < self->n_columns)
    g_string_append_printf (text, "%*s", (to_right ? 0 : padding) + GAP, "");
}

/* How wide it is with no column wider than @most. */
static guint
get_width_with (ToolTable *self, guint most)
{
  guint width = GAP * (self->n_columns - 1);

  for (guint i = 0; i < self->n_columns; i++)
    width += MIN (g_array_index (self->widths, guint, i), most);
  return width;
}

/* Takes columns from the widest ones. */
static void
fit (ToolTable *self, guint columns)
{
  const guint least
      = get_width_with (self, MIN_WIDTH) > columns && get_width_with (self, LEAST_WIDTH) <= columns
            ? LEAST_WIDTH
            : MIN_WIDTH;
  const guint width = get_width_with (self, G_MAXUINT);
  guint too_many = width > columns ? width - columns : 0;

  for (; too_many > 0; too_many--)
    {
      guint *widest = &g_array_index (self->widths, guint, 0);

      for (guint i = 1; i < self->n_columns; i++)
        if (g_array_index (self->widths, guint, i) >= *widest)
          widest = &g_array_index (self->widths, guint, i);
      if (*widest <= least)
        return;
      --*widest;
    }
}

char *
tool_table_free_to_text (ToolTable *self, guint columns, gboolean bold)
{
  GString *text = g_string_new (NULL);

  if (columns > 0)
    fit (self, columns);
  for (guint i = 0; i < self->cells->len; i++)
    {
      if (i == 0 && bold)
        g_string_append (text, "\033[1m");
      append_cell (self, text, i % self->n_columns, g_ptr_array_index (self->cells, i));
      if ((i + 1) % self->n_columns == 0)
        g_string_append (text, i + 1 == self->n_columns && bold ? "\033[0m\n" : "\n");
    }
  tool_table_free (self);
  return g_string_free (text, FALSE);
}

int
tool_table_print (ToolTable *self)
{
  g_autofree char *text = tool_table_free_to_text (self, tool_text_get_columns (STDOUT_FILENO),
                                                   tool_text_has_colours ());

  return tool_output_print (text, strlen (text));
}
