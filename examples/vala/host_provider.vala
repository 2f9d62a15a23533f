// SPDX-License-Identifier: LGPL-2.1-or-later
// A provider in Vala. Its sandboxes have no walls at all: each is a folder of the history, and the
// guest that works "inside" is a child of this program. It shows what there is to implement.

public class HostProvider : Object, Asb.Provider
{
  private HashTable<string, Asb.SandboxInfo> sandboxes
      = new HashTable<string, Asb.SandboxInfo> (str_hash, str_equal);

  public string dup_name ()
  {
    return "host";
  }

  public string dup_key ()
  {
    return "host";
  }

  public string? dup_endpoint_fingerprint ()
  {
    return null;
  }

  public Asb.Capabilities get_capabilities ()
  {
    return new Asb.Capabilities ();
  }

  private string folder_of (string id)
  {
    return Path.build_filename (Environment.get_user_state_dir (), "asb", "host", id);
  }

  private Asb.SandboxInfo find (string id) throws Error
  {
    var info = sandboxes[id];

    if (info == null)
      throw new Asb.Error.SANDBOX_NOT_FOUND ("There is no sandbox “%s”", id);
    return info;
  }

  private void answer (Task task, Object object)
  {
    var value = Value (object.get_type ());

    value.set_object (object);
    task.return_value (value);
  }

  public void create_sandbox_vfunc (Asb.SandboxSpec spec, Task task)
  {
    var id = Asb.uuid_v7_new ();
    var identity = new Asb.SandboxRef ("host", "host", id, spec.instance_id ?? id, null,
                                         spec.get_metadata ());
    var info = Object.new (typeof (Asb.SandboxInfo), @ref: identity, state: Asb.SandboxState.RUNNING,
                           name: spec.name, workdir: folder_of (id)) as Asb.SandboxInfo;

    if (DirUtils.create_with_parents (folder_of (id), 0700) != 0)
      {
        task.return_error (new Asb.Error.PROVIDER ("Could not make “%s”: %s", folder_of (id),
                                                   strerror (errno)));
        return;
      }
    sandboxes[id] = info;
    answer (task, info);
  }

  public void get_sandbox_vfunc (string sandbox_id, Task task)
  {
    try
      {
        answer (task, find (sandbox_id));
      }
    catch (Error error)
      {
        task.return_error (error.copy ());
      }
  }

  public void delete_sandbox_vfunc (string sandbox_id, Task task)
  {
    try
      {
        find (sandbox_id);
        sandboxes.remove (sandbox_id);
        new Subprocess (SubprocessFlags.NONE, "rm", "-rf", "--", folder_of (sandbox_id))
          .wait_check ();
        task.return_boolean (true);
      }
    catch (Error error)
      {
        task.return_error (error.copy ());
      }
  }

  // The guest is on this machine already: what the specification names is not looked at.
  public void open_stream_vfunc (string sandbox_id, Asb.StreamSpec spec, Task task)
  {
    try
      {
        find (sandbox_id);
        var folder = folder_of (sandbox_id);
        var guest = Environment.get_variable ("ASB_GUEST_PATH") ?? "asb-guest";
        var process = new Subprocess (SubprocessFlags.STDIN_PIPE | SubprocessFlags.STDOUT_PIPE, guest,
                                      "connect", "--socket", @"$folder/run/guest", "--history-dir",
                                      @"$folder/history");
        var stream = new SimpleIOStream (process.get_stdout_pipe (), process.get_stdin_pipe ());

        stream.set_data<Subprocess> ("process", process);
        answer (task, stream);
      }
    catch (Error error)
      {
        task.return_error (error.copy ());
      }
  }
}

int main ()
{
  var registry = new Asb.Registry ();

  try
    {
      registry.register_provider ("host", typeof (HostProvider));

      var provider = registry.create_provider ("host", null);
      var options = new Asb.BackendOptions ();

      options.provider = provider;
      var backend = Asb.create_backend (options);
      var result = backend.execute (new Asb.CommandSpec.for_shell ("echo hello from $PWD"));

      print ("%s", result.dup_stdout_text ());
      backend.get_transport ().call_sync ("guest.shutdown", null);
      backend.close ();
    }
  catch (Error error)
    {
      printerr ("%s\n", error.message);
      return 1;
    }
  return 0;
}
