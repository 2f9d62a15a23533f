/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "config.h"

#include "asb-registry.h"

#include "asb-closure-private.h"
#include "asb-error-private.h"
#include "asb-module-private.h"
#include "asb-options-private.h"
#include "asb-simple-provider-private.h"

/**
 * AsbRegistry:
 *
 * Finds providers and history stores by name.
 *
 * What was registered, from any language, is found first. A name that was not is looked for as a
 * module, `libasb-provider-NAME.so` or `libasb-history-NAME.so`, in the folders of
 * [method@Registry.dup_module_paths]; a module is opened only when its name is asked for. A
 * registry may be used from any thread.
 *
 * Since: 1.0
 */

typedef struct
{
  GType type; /* G_TYPE_INVALID with a factory */
  AsbClosure *factory;
} AsbRegistryEntry;

struct _AsbRegistry
{
  GObject parent_instance;

  GMutex mutex;
  GRecMutex loading; /* two threads that ask for one module load it once; it may ask for others */
  GHashTable *registering; /* while loading: the modules whose function runs */
  GHashTable *entries[2];  /* by AsbModuleKind: name → AsbRegistryEntry */
  GPtrArray *paths;
};

G_DEFINE_FINAL_TYPE (AsbRegistry, asb_registry, G_TYPE_OBJECT)

static const char *const kind_names[] = {
  [ASB_MODULE_KIND_PROVIDER] = "provider",
  [ASB_MODULE_KIND_HISTORY_STORE] = "history store",
};

static void
entry_free (gpointer data)
{
  AsbRegistryEntry *entry = data;

  g_clear_pointer (&entry->factory, asb_closure_unref);
  g_free (entry);
}

static void
asb_registry_finalize (GObject *object)
{
  AsbRegistry *self = ASB_REGISTRY (object);

  for (gsize i = 0; i < G_N_ELEMENTS (self->entries); i++)
    g_clear_pointer (&self->entries[i], g_hash_table_unref);
  g_clear_pointer (&self->paths, g_ptr_array_unref);
  g_rec_mutex_clear (&self->loading);
  g_clear_pointer (&self->registering, g_hash_table_unref);
  g_mutex_clear (&self->mutex);

  G_OBJECT_CLASS (asb_registry_parent_class)->finalize (object);
}

static void
asb_registry_class_init (AsbRegistryClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = asb_registry_finalize;
}

static void
asb_registry_init (AsbRegistry *self)
{
  g_mutex_init (&self->mutex);
  g_rec_mutex_init (&self->loading);
  self->registering = g_hash_table_new (g_str_hash, g_str_equal);
  for (gsize i = 0; i < G_N_ELEMENTS (self->entries); i++)
    self->entries[i] = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, entry_free);
  self->paths = asb_module_default_paths ();
}

/**
 * asb_registry_new:
 *
 * Makes a registry in which nothing is registered. It finds the installed modules.
 *
 * Returns: (transfer full): a new [class@Registry]
 *
 * Since: 1.0
 */
AsbRegistry *
asb_registry_new (void)
{
  return g_object_new (ASB_TYPE_REGISTRY, NULL);
}

/**
 * asb_registry_get_default:
 *
 * Gets the registry that is used where none is named.
 *
 * Returns: (transfer none): the registry
 *
 * Since: 1.0
 */
AsbRegistry *
asb_registry_get_default (void)
{
  static gsize registry;

  if (g_once_init_enter (&registry))
    g_once_init_leave (&registry, (gsize)asb_registry_new ());
  return (AsbRegistry *)registry;
}

static gboolean
check_name (const char *name, GError **error)
{
  if (asb_module_name_is_valid (name))
    return TRUE;
  g_set_error (
      error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
      "“%s” is no name for a provider or store: use lower-case letters, digits, “-” and “_”", name);
  return FALSE;
}

/* Takes @entry. */
static gboolean
add_entry (AsbRegistry *self, AsbModuleKind kind, const char *name, AsbRegistryEntry *entry,
           GError **error)
{
  g_autoptr (GMutexLocker) locker = NULL;

  if (!check_name (name, error))
    {
      entry_free (entry);
      return FALSE;
    }
  locker = g_mutex_locker_new (&self->mutex);
  if (g_hash_table_contains (self->entries[kind], name))
    {
      g_clear_pointer (&locker, g_mutex_locker_free);
      entry_free (entry);
      g_set_error (error, ASB_ERROR, ASB_ERROR_ALREADY_EXISTS, "A %s “%s” is registered already",
                   kind_names[kind], name);
      return FALSE;
    }
  g_hash_table_insert (self->entries[kind], g_strdup (name), entry);
  return TRUE;
}

static gboolean
add_type (AsbRegistry *self, AsbModuleKind kind, const char *name, GType type, GType wanted,
          GError **error)
{
  AsbRegistryEntry *entry;

  /* The interface itself is a GObject too, for g_type_is_a (). */
  if (G_TYPE_FUNDAMENTAL (type) != G_TYPE_OBJECT || !g_type_is_a (type, wanted)
      || G_TYPE_IS_ABSTRACT (type))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_INVALID_ARGUMENT,
                   "Type “%s” is no %s that can be made", type ? g_type_name (type) : "",
                   kind_names[kind]);
      return FALSE;
    }
  entry = g_new0 (AsbRegistryEntry, 1);
  entry->type = type;
  return add_entry (self, kind, name, entry, error);
}

static gboolean
add_factory (AsbRegistry *self, AsbModuleKind kind, const char *name, GCallback factory,
             gpointer user_data, GDestroyNotify destroy, GError **error)
{
  AsbRegistryEntry *entry = g_new0 (AsbRegistryEntry, 1);

  asb_closure_replace (&entry->factory, factory, user_data, destroy);
  return add_entry (self, kind, name, entry, error);
}

/**
 * asb_registry_register_provider:
 * @self: a [class@Registry]
 * @name: the name: lower-case letters, digits, `-` and `_`
 * @type: a type that implements [iface@Provider]
 * @error: return location for an error
 *
 * Registers a type of provider. Options become the properties of the object that is made; an option
 * that is no property of the type, or of the wrong type, is refused when the provider is made.
 *
 * Returns: whether it was registered; %ASB_ERROR_ALREADY_EXISTS if the name is taken
 *
 * Since: 1.0
 */
gboolean
asb_registry_register_provider (AsbRegistry *self, const char *name, GType type, GError **error)
{
  g_return_val_if_fail (ASB_IS_REGISTRY (self), FALSE);
  g_return_val_if_fail (name != NULL, FALSE);

  return add_type (self, ASB_MODULE_KIND_PROVIDER, name, type, ASB_TYPE_PROVIDER, error)
         || asb_error_info_note (error);
}

/**
 * asb_registry_register_provider_factory:
 * @self: a [class@Registry]
 * @name: the name: lower-case letters, digits, `-` and `_`
 * @factory: (scope notified) (closure user_data) (destroy destroy): makes the provider
 * @user_data: data for @factory
 * @destroy: (nullable): frees @user_data
 * @error: return location for an error
 *
 * Registers a function that makes a provider.
 *
 * Returns: whether it was registered; %ASB_ERROR_ALREADY_EXISTS if the name is taken
 *
 * Since: 1.0
 */
gboolean
asb_registry_register_provider_factory (AsbRegistry *self, const char *name,
                                        AsbProviderFactory factory, gpointer user_data,
                                        GDestroyNotify destroy, GError **error)
{
  g_return_val_if_fail (ASB_IS_REGISTRY (self), FALSE);
  g_return_val_if_fail (name != NULL && factory != NULL, FALSE);

  return add_factory (self, ASB_MODULE_KIND_PROVIDER, name, G_CALLBACK (factory), user_data,
                      destroy, error)
         || asb_error_info_note (error);
}

/**
 * asb_registry_register_history_store:
 * @self: a [class@Registry]
 * @name: the name: lower-case letters, digits, `-` and `_`
 * @type: a type that implements [iface@HistoryStore]
 * @error: return location for an error
 *
 * Registers a type of history store; see [method@Registry.register_provider].
 *
 * Returns: whether it was registered; %ASB_ERROR_ALREADY_EXISTS if the name is taken
 *
 * Since: 1.0
 */
gboolean
asb_registry_register_history_store (AsbRegistry *self, const char *name, GType type,
                                     GError **error)
{
  g_return_val_if_fail (ASB_IS_REGISTRY (self), FALSE);
  g_return_val_if_fail (name != NULL, FALSE);

  return add_type (self, ASB_MODULE_KIND_HISTORY_STORE, name, type, ASB_TYPE_HISTORY_STORE, error)
         || asb_error_info_note (error);
}

/**
 * asb_registry_register_history_store_factory:
 * @self: a [class@Registry]
 * @name: the name: lower-case letters, digits, `-` and `_`
 * @factory: (scope notified) (closure user_data) (destroy destroy): makes the store
 * @user_data: data for @factory
 * @destroy: (nullable): frees @user_data
 * @error: return location for an error
 *
 * Registers a function that makes a history store.
 *
 * Returns: whether it was registered; %ASB_ERROR_ALREADY_EXISTS if the name is taken
 *
 * Since: 1.0
 */
gboolean
asb_registry_register_history_store_factory (AsbRegistry *self, const char *name,
                                             AsbHistoryStoreFactory factory, gpointer user_data,
                                             GDestroyNotify destroy, GError **error)
{
  g_return_val_if_fail (ASB_IS_REGISTRY (self), FALSE);
  g_return_val_if_fail (name != NULL && factory != NULL, FALSE);

  return add_factory (self, ASB_MODULE_KIND_HISTORY_STORE, name, G_CALLBACK (factory), user_data,
                      destroy, error)
         || asb_error_info_note (error);
}

static gboolean
remove_entry (AsbRegistry *self, AsbModuleKind kind, const char *name)
{
  g_autofree char *key = NULL;
  gpointer stolen_key = NULL, entry = NULL;

  g_mutex_lock (&self->mutex);
  g_hash_table_steal_extended (self->entries[kind], name, &stolen_key, &entry);
  g_mutex_unlock (&self->mutex);

  /* Outside the lock: freeing the data of a factory runs foreign code. */
  key = stolen_key;
  if (entry)
    entry_free (entry);
  return entry != NULL;
}

/**
 * asb_registry_unregister_provider:
 * @self: a [class@Registry]
 * @name: the name
 *
 * Takes back a registration. Providers that were made are not touched. A module of that name is
 * found again.
 *
 * Returns: whether the name was registered
 *
 * Since: 1.0
 */
gboolean
asb_registry_unregister_provider (AsbRegistry *self, const char *name)
{
  g_return_val_if_fail (ASB_IS_REGISTRY (self), FALSE);
  g_return_val_if_fail (name != NULL, FALSE);

  return remove_entry (self, ASB_MODULE_KIND_PROVIDER, name);
}

/**
 * asb_registry_unregister_history_store:
 * @self: a [class@Registry]
 * @name: the name
 *
 * Takes back a registration; see [method@Registry.unregister_provider].
 *
 * Returns: whether the name was registered
 *
 * Since: 1.0
 */
gboolean
asb_registry_unregister_history_store (AsbRegistry *self, const char *name)
{
  g_return_val_if_fail (ASB_IS_REGISTRY (self), FALSE);
  g_return_val_if_fail (name != NULL, FALSE);

  return remove_entry (self, ASB_MODULE_KIND_HISTORY_STORE, name);
}

/* What is registered under a name, in parts that stay valid without the lock. */
static gboolean
look_up (AsbRegistry *self, AsbModuleKind kind, const char *name, GType *type, AsbClosure **factory)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->mutex);
  AsbRegistryEntry *entry = g_hash_table_lookup (self->entries[kind], name);

  if (!entry)
    return FALSE;
  *type = entry->type;
  *factory = entry->factory ? asb_closure_ref (entry->factory) : NULL;
  return TRUE;
}

/* With the mutex for loading. */
static gboolean
load (AsbRegistry *self, AsbModuleKind kind, const char *name, char **file, GError **error)
{
  g_auto (GStrv) paths = asb_registry_dup_module_paths (self);
  g_autofree char *what = g_strconcat (kind_names[kind], " ", name, NULL);
  gboolean loaded;

  if (g_hash_table_contains (self->registering, what))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_MODULE_INVALID,
                   "The module of %s “%s” asks for itself while it registers", kind_names[kind],
                   name);
      return FALSE;
    }
  g_hash_table_add (self->registering, what);
  loaded = asb_module_load (self, kind, name, (const char *const *)paths, file, error);
  g_hash_table_remove (self->registering, what);
  return loaded;
}

static gboolean
find (AsbRegistry *self, AsbModuleKind kind, const char *name, GType *type, AsbClosure **factory,
      GError **error)
{
  g_autoptr (GRecMutexLocker) locker = NULL;
  g_autofree char *file = NULL;

  if (!check_name (name, error))
    return FALSE;
  if (look_up (self, kind, name, type, factory))
    return TRUE;
  locker = g_rec_mutex_locker_new (&self->loading);
  if (look_up (self, kind, name, type, factory))
    return TRUE;
  if (!load (self, kind, name, &file, error))
    return FALSE;
  if (look_up (self, kind, name, type, factory))
    return TRUE;
  g_set_error (error, ASB_ERROR, ASB_ERROR_MODULE_INVALID,
               "Could not use module “%s”: it registers no %s “%s”", file, kind_names[kind], name);
  return FALSE;
}

static gpointer
make_of_type (GType type, AsbModuleKind kind, const char *name, GVariant *options, GError **error)
{
  g_autofree char *owner = g_strdup_printf ("%s “%s”", kind_names[kind], name);

  return asb_options_new_object (type, owner, options, error);
}

static gpointer
check_made (gpointer object, GType wanted, AsbModuleKind kind, const char *name, GError **error)
{
  if (!object && error && !*error)
    g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER,
                 "The factory of %s “%s” made nothing and gave no reason", kind_names[kind], name);
  if (object && !g_type_is_a (G_OBJECT_TYPE (object), wanted))
    {
      g_set_error (error, ASB_ERROR, ASB_ERROR_PROVIDER, "The factory of %s “%s” made a %s",
                   kind_names[kind], name, G_OBJECT_TYPE_NAME (object));
      g_clear_object (&object);
    }
  return object;
}

/**
 * asb_registry_create_provider:
 * @self: a [class@Registry]
 * @name: the name
 * @options: (nullable): options, an `a{sv}`; names with `-` or `_`
 * @error: return location for an error
 *
 * Makes a provider.
 *
 * Returns: (transfer full): the provider. %ASB_ERROR_MODULE_NOT_FOUND if nothing is registered and
 * no module found under the name, %ASB_ERROR_MODULE_INVALID if the module cannot be used,
 * %ASB_ERROR_INVALID_ARGUMENT for an option it does not know
 *
 * Since: 1.0
 */
AsbProvider *
asb_registry_create_provider (AsbRegistry *self, const char *name, GVariant *options,
                              GError **error)
{
  g_autoptr (AsbClosure) factory = NULL;
  g_autoptr (GVariant) sunk = options ? g_variant_ref_sink (options) : NULL;
  g_autoptr (GError) local = NULL;
  GType type;
  gpointer provider = NULL;

  g_return_val_if_fail (ASB_IS_REGISTRY (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  if (find (self, ASB_MODULE_KIND_PROVIDER, name, &type, &factory, &local))
    {
      if (factory)
        provider = ((AsbProviderFactory)factory->function) (self, name, options, factory->user_data,
                                                            &local);
      else
        provider = make_of_type (type, ASB_MODULE_KIND_PROVIDER, name, options, &local);
      provider = check_made (provider, ASB_TYPE_PROVIDER, ASB_MODULE_KIND_PROVIDER, name, &local);
      if (ASB_IS_SIMPLE_PROVIDER (provider))
        asb_simple_provider_name_by_default (ASB_SIMPLE_PROVIDER (provider), name);
    }
  if (local)
    {
      asb_error_info_set_last (local);
      g_propagate_error (error, g_steal_pointer (&local));
    }
  return provider;
}

/**
 * asb_registry_create_history_store:
 * @self: a [class@Registry]
 * @name: the name
 * @options: (nullable): options, an `a{sv}`; names with `-` or `_`
 * @error: return location for an error
 *
 * Makes a history store; see [method@Registry.create_provider].
 *
 * Returns: (transfer full): the store
 *
 * Since: 1.0
 */
AsbHistoryStore *
asb_registry_create_history_store (AsbRegistry *self, const char *name, GVariant *options,
                                   GError **error)
{
  g_autoptr (AsbClosure) factory = NULL;
  g_autoptr (GVariant) sunk = options ? g_variant_ref_sink (options) : NULL;
  g_autoptr (GError) local = NULL;
  GType type;
  gpointer store = NULL;

  g_return_val_if_fail (ASB_IS_REGISTRY (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  if (find (self, ASB_MODULE_KIND_HISTORY_STORE, name, &type, &factory, &local))
    {
      if (factory)
        store = ((AsbHistoryStoreFactory)factory->function) (self, name, options,
                                                             factory->user_data, &local);
      else
        store = make_of_type (type, ASB_MODULE_KIND_HISTORY_STORE, name, options, &local);
      store
          = check_made (store, ASB_TYPE_HISTORY_STORE, ASB_MODULE_KIND_HISTORY_STORE, name, &local);
    }
  if (local)
    {
      asb_error_info_set_last (local);
      g_propagate_error (error, g_steal_pointer (&local));
    }
  return store;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *)a, *(const char *const *)b);
}

static char **
list_names (AsbRegistry *self, AsbModuleKind kind)
{
  g_auto (GStrv) paths = asb_registry_dup_module_paths (self);
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) found = asb_module_list_names (kind, (const char *const *)paths);
  GPtrArray *sorted = g_ptr_array_new_null_terminated (0, g_free, TRUE);
  GHashTableIter iter;
  gpointer name;

  for (guint i = 0; i < found->len; i++)
    if (g_hash_table_add (names, found->pdata[i]))
      g_ptr_array_add (sorted, g_strdup (found->pdata[i]));

  g_mutex_lock (&self->mutex);
  g_hash_table_iter_init (&iter, self->entries[kind]);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (!g_hash_table_contains (names, name))
      g_ptr_array_add (sorted, g_strdup (name));
  g_mutex_unlock (&self->mutex);

  g_ptr_array_sort (sorted, compare_names);
  return (char **)g_ptr_array_free (sorted, FALSE);
}

/**
 * asb_registry_list_providers:
 * @self: a [class@Registry]
 *
 * Lists the names of providers: what is registered, and modules by the names of their files, which
 * are not opened.
 *
 * Returns: (transfer full) (array zero-terminated=1): the names, sorted
 *
 * Since: 1.0
 */
char **
asb_registry_list_providers (AsbRegistry *self)
{
  g_return_val_if_fail (ASB_IS_REGISTRY (self), NULL);

  return list_names (self, ASB_MODULE_KIND_PROVIDER);
}

/**
 * asb_registry_list_history_stores:
 * @self: a [class@Registry]
 *
 * Lists the names of history stores; see [method@Registry.list_providers].
 *
 * Returns: (transfer full) (array zero-terminated=1): the names, sorted
 *
 * Since: 1.0
 */
char **
asb_registry_list_history_stores (AsbRegistry *self)
{
  g_return_val_if_fail (ASB_IS_REGISTRY (self), NULL);

  return list_names (self, ASB_MODULE_KIND_HISTORY_STORE);
}

static char *
find_module (AsbRegistry *self, AsbModuleKind kind, const char *name)
{
  g_auto (GStrv) paths = asb_registry_dup_module_paths (self);

  if (!asb_module_name_is_valid (name))
    return NULL;
  return asb_module_find_file (kind, name, (const char *const *)paths, NULL);
}

/**
 * asb_registry_find_provider_module:
 * @self: a [class@Registry]
 * @name: the name of a provider
 *
 * Looks for the file a provider would be loaded from. It is not opened.
 *
 * Returns: (transfer full) (nullable) (type filename): the file; %NULL if there is none, as for
 * types that were registered without a module
 *
 * Since: 1.0
 */
char *
asb_registry_find_provider_module (AsbRegistry *self, const char *name)
{
  g_return_val_if_fail (ASB_IS_REGISTRY (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  return find_module (self, ASB_MODULE_KIND_PROVIDER, name);
}

/**
 * asb_registry_find_history_store_module:
 * @self: a [class@Registry]
 * @name: the name of a history store
 *
 * Looks for the file a history store would be loaded from; see
 * [method@Registry.find_provider_module].
 *
 * Returns: (transfer full) (nullable) (type filename): the file
 *
 * Since: 1.0
 */
char *
asb_registry_find_history_store_module (AsbRegistry *self, const char *name)
{
  g_return_val_if_fail (ASB_IS_REGISTRY (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  return find_module (self, ASB_MODULE_KIND_HISTORY_STORE, name);
}

/**
 * asb_registry_prepend_module_path:
 * @self: a [class@Registry]
 * @path: (type filename): a folder
 *
 * Looks for modules in a folder before the others.
 *
 * Since: 1.0
 */
void
asb_registry_prepend_module_path (AsbRegistry *self, const char *path)
{
  g_autoptr (GMutexLocker) locker = NULL;

  g_return_if_fail (ASB_IS_REGISTRY (self));
  g_return_if_fail (path != NULL);

  locker = g_mutex_locker_new (&self->mutex);
  g_ptr_array_insert (self->paths, 0, g_strdup (path));
}

/**
 * asb_registry_dup_module_paths:
 * @self: a [class@Registry]
 *
 * Gets the folders in which modules are looked for: those added, those of the environment variable
 * `ASB_MODULE_PATH` (which is ignored in a program with more privileges than its caller), and that
 * of the library.
 *
 * Returns: (transfer full) (array zero-terminated=1) (element-type filename): the folders, in the
 * order of the search
 *
 * Since: 1.0
 */
char **
asb_registry_dup_module_paths (AsbRegistry *self)
{
  g_autoptr (GMutexLocker) locker = NULL;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  g_return_val_if_fail (ASB_IS_REGISTRY (self), NULL);

  locker = g_mutex_locker_new (&self->mutex);
  for (guint i = 0; i < self->paths->len; i++)
    g_strv_builder_add (builder, self->paths->pdata[i]);
  return g_strv_builder_end (builder);
}
