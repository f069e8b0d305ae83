// Package native opens the files of our own folder, `native/` in a Hermes home:
// never through a link, never what is no regular file, never beyond a bound; new
// ones are readable by their owner alone and replaced in one step. Whatever else
// stands in the place of such a file is refused without waiting for it, and what
// it leads to is neither read nor changed.
//
// Neither the folder itself nor a folder in it may be a link, see ErrFolder and
// Folder. The home may be one, and so may config.yaml.
package native
