/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Doubly linked rings whose nodes are members of what they link, so that linking never fails. */

#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct List
{
  struct List *next;
  struct List *previous;
} List;

/* The structure of @type whose member @member is at @node. */
#define LIST_ITEM(node, type, member) ((type *)(void *)((char *)(node)-offsetof (type, member)))

/* The node may be removed within the loop. */
#define LIST_FOREACH(node, list)                                                                   \
  for (List *node = (list)->next, *node##_next = node->next; node != (list);                       \
       node = node##_next, node##_next = node->next)

static inline void
list_init (List *list)
{
  list->next = list;
  list->previous = list;
}

static inline bool
list_is_empty (const List *list)
{
  return list->next == list;
}

static inline void
list_insert_before (List *position, List *node)
{
  node->next = position;
  node->previous = position->previous;
  position->previous->next = node;
  position->previous = node;
}

static inline void
list_append (List *list, List *node)
{
  list_insert_before (list, node);
}

/* A node that is in no list may be removed again. */
static inline void
list_remove (List *node)
{
  node->previous->next = node->next;
  node->next->previous = node->previous;
  list_init (node);
}
