package desk

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"hermes/backend/native"
	"hermes/backend/view"
)

// CodeDraftGone: the copy for the editor is not there any more.
const CodeDraftGone = "draft.gone"

// OpenDraft copies the file for an editor, readable by its owner alone. The file
// itself is not opened in the editor, because every save of it would be in force
// at once, finished or not.
func (d *Desk) OpenDraft() (view.ConfigDraft, error) {
	if err := d.ours(); err != nil {
		return view.ConfigDraft{}, err
	}
	home := d.current().Home()
	data, err := os.ReadFile(home.Config())
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing {
		return view.ConfigDraft{}, fmt.Errorf("read the file to edit: %w", err)
	}
	draft := view.ConfigDraft{File: home.Config()}
	if !missing {
		draft.Revision = revisionOf(data)
	}
	folder := home.Native()
	if err := native.Folder(folder); err != nil {
		folder = "" // the system's folder for temporary files
	}
	file, err := os.CreateTemp(folder, "config-*.yaml")
	if err != nil {
		return view.ConfigDraft{}, fmt.Errorf("make a copy for the editor: %w", err)
	}
	draft.Draft = file.Name()
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		return view.ConfigDraft{}, errors.Join(fmt.Errorf("make a copy for the editor: %w", err), os.Remove(draft.Draft))
	}
	return draft, nil
}

func revisionOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// SaveDraft puts what the editor left in place of the file, if the file is still
// the one that was copied and the copy can be read. The copy is removed then,
// and kept with an error.
func (d *Desk) SaveDraft(draft view.ConfigDraft) (view.ConfigResult, error) {
	if err := d.ours(); err != nil {
		return view.ConfigResult{}, err
	}
	data, err := os.ReadFile(draft.Draft)
	if errors.Is(err, fs.ErrNotExist) {
		return view.ConfigResult{}, Fail(view.Error{Code: CodeDraftGone, Message: "the editor left no file, so nothing was saved",
			Hint: "the configuration is as it was; edit again and save under the same name"}, err)
	}
	if err != nil {
		return view.ConfigResult{}, fmt.Errorf("read the copy from the editor: %w", err)
	}
	out := view.ConfigResult{File: draft.File, Revision: draft.Revision, Warnings: []string{}}
	if revisionOf(data) == draft.Revision || draft.Revision == "" && len(data) == 0 {
		return out, d.DropDraft(draft)
	}
	h := d.current()
	result, err := h.Replace(d.ctx, draft.Revision, data)
	if err != nil {
		return out, err
	}
	if now, err := os.ReadFile(draft.File); err != nil || !bytes.Equal(now, data) {
		return out, Fail(view.Error{Code: "failed", Message: "the file was written, but it is another one when it is read again",
			Hint: "your text is in " + draft.Draft, File: draft.File}, err)
	}
	out.Changed, out.Revision = result.Changed, result.Snapshot.Revision
	for _, p := range result.Snapshot.Problems {
		out.Warnings = append(out.Warnings, at(p)+p.Message)
	}
	out.Warnings = append(out.Warnings, changeWarnings(result.Snapshot, []string{topServers})...)
	return out, d.DropDraft(draft)
}

// DropDraft removes a copy.
func (d *Desk) DropDraft(draft view.ConfigDraft) error {
	if err := os.Remove(draft.Draft); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the copy for the editor: %w", err)
	}
	return nil
}
