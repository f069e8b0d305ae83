import { Eye, Lock, LockOpen } from 'lucide-react';
import { useState } from 'react';
import { keyOf } from '@/app/edits';
import { useEdits, useLook } from '@/app/queries';
import type { ServerDetail } from '@/bridge';
import { Button, Confirm } from '@/components';
import type { PolicyServer } from '@/policy';
import { useWords } from '@/words';
import { Effect } from './Effect';
import { mayLook } from './faces';

interface ServerActionsProps {
  detail: ServerDetail;
  rules: PolicyServer | null;
}

/** What can be done with a server as a whole: look, lock, open. Of a held one the banner offers the ways out. */
export function ServerActions({ detail, rules }: ServerActionsProps) {
  const { t } = useWords();
  const { edits, state } = useEdits();
  const look = useLook(detail.server.name);
  const [opening, setOpening] = useState(false);
  const { server, revision } = detail;
  const busy = state.pending.has(keyOf({ server: server.name }));
  return (
    <div className="flex flex-wrap gap-2">
      {mayLook(server) && (
        <Button icon={<Eye />} disabled={look.isPending} onClick={() => look.mutate()}>
          {look.isPending ? t('server.looking') : t('server.look')}
        </Button>
      )}
      {!server.tools.locked && !server.tools.held && (
        <Button icon={<Lock />} disabled={busy || !rules} onClick={() => void edits.lock(server.name, revision)}>
          {t('server.lock')}
        </Button>
      )}
      {server.tools.state !== 'open' && !server.tools.held && (
        <Button icon={<LockOpen />} disabled={busy || !rules} onClick={() => setOpening(true)}>
          {t('server.open')}
        </Button>
      )}
      <OpenDialog
        open={opening}
        detail={detail}
        rules={rules}
        onClose={() => setOpening(false)}
        onConfirm={() => void edits.open(server.name, revision)}
      />
    </div>
  );
}

interface OpenDialogProps extends ServerActionsProps {
  open: boolean;
  onClose: () => void;
  onConfirm: () => void;
}

/** Taking a filter away is its own decision, with what it means said before. */
function OpenDialog({ open, detail, rules, onClose, onConfirm }: OpenDialogProps) {
  const { t } = useWords();
  const preview = open && rules ? rules.preview({ action: 'open' }) : null;
  const { server } = detail;
  return (
    <Confirm
      open={open}
      danger
      title={t('open.title', { server: server.name })}
      confirm={t('open.confirm')}
      cancel={t('cancel')}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <p>{t('open.text')}</p>
      <Effect server={server} preview={preview} />
    </Confirm>
  );
}
