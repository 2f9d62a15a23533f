// SPDX-License-Identifier: LGPL-2.1-or-later
// A provider in Vala: a sandbox is a folder, which bubblewrap makes the root of whatever is run in
// it. Commands, terminals, files and the record come with the guest.
//
//     valac --pkg libasb-1 box_provider.vala && ./box_provider

public class BoxProvider : Asb.SimpleProvider
{
  private const string[] BWRAP = { "--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev",
                                   "--clearenv", "sh", "-c", "exec \"$0\" \"$@\"" };
  private const string STORE = "mkdir -p \"${0%/*}\" && cat >\"$0\" && chmod \"$1\" \"$0\"";

  protected override bool create (string id, Asb.SandboxSpec spec, Cancellable? cancellable)
      throws Error
  {
    var root = dup_folder (id);

    DirUtils.create_with_parents (root + "/tmp", 0755);
    DirUtils.create_with_parents (root + (spec.workdir ?? "/workspace"), 0755);
    foreach (unowned var name in new string[] { "bin", "lib", "lib64" })
      File.new_for_path (@"$root/$name").make_symbolic_link (@"usr/$name");
    return true;
  }

  protected override bool remove (string id, Cancellable? cancellable) throws Error
  {
    return end_guest (id, cancellable);
  }

  protected override IOStream open_program (string id, string[]? argv, Cancellable? cancellable)
      throws Error
  {
    string[] bwrap = { "bwrap", "--bind", dup_folder (id), "/" };

    foreach (unowned var word in BWRAP)
      bwrap += word;
    return new Asb.SubprocessStream (bwrap, argv);
  }

  protected override bool store_file (string id, string path, Bytes contents, uint mode,
                                      Cancellable? cancellable) throws Error
  {
    // From inside: what has been run there may have put links in the way, to what is outside.
    string[] argv = { "sh", "-c", STORE, path, "%o".printf (mode) };
    var stream = (Asb.SubprocessStream) open_program (id, argv, cancellable);

    stream.output_stream.write_all (contents.get_data (), null, cancellable);
    stream.output_stream.close (cancellable);
    return stream.get_subprocess ().wait_check (cancellable);
  }
}

int main ()
{
  var registry = new Asb.Registry ();

  try
    {
      registry.register_provider ("box", typeof (BoxProvider));

      var provider = registry.create_provider ("box", null);
      var options = new Asb.BackendOptions ();

      options.provider = provider;
      var backend = Asb.create_backend (options);
      var result = backend.execute (new Asb.CommandSpec.for_shell ("echo hello from $PWD"));

      print ("%s", result.dup_stdout_text ());
      backend.close ();
    }
  catch (Error error)
    {
      printerr ("%s\n", error.message);
      return 1;
    }
  return 0;
}
