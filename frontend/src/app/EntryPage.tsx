import { KeyRound, Link2Off } from 'lucide-react';
import { useState } from 'react';
import { Button, Empty } from '@/components';
import { useWords } from '@/words';

/** Shown to a browser that does not hold this run's token. */
export function EntryPage({ used, onPassword }: { used: boolean; onPassword: ((password: string) => Promise<boolean>) | null }) {
  const { t } = useWords();
  return (
    <main className="flex h-full items-center justify-center">
      {onPassword ? (
        <PasswordForm onPassword={onPassword} />
      ) : (
        <Empty icon={<Link2Off />} title={used ? t('entry.usedTitle') : t('entry.title')}>
          {t('entry.text')}
        </Empty>
      )}
    </main>
  );
}

function PasswordForm({ onPassword }: { onPassword: (password: string) => Promise<boolean> }) {
  const { t } = useWords();
  const [password, setPassword] = useState('');
  const [state, setState] = useState<'idle' | 'asking' | 'wrong'>('idle');
  return (
    <form
      className="w-80 space-y-4 rounded-2xl border border-line bg-surface p-6 shadow-card"
      onSubmit={(event) => {
        event.preventDefault();
        setState('asking');
        void onPassword(password).then((good) => setState(good ? 'idle' : 'wrong'));
      }}
    >
      <h1 className="flex items-center gap-2 text-title font-semibold">
        <KeyRound aria-hidden="true" className="size-5 text-accent-text" />
        {t('entry.passwordTitle')}
      </h1>
      <label className="block">
        <span className="mb-1 block text-small text-ink-soft">{t('entry.password')}</span>
        <input
          type="password"
          autoComplete="current-password"
          autoFocus
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          className="h-9 w-full rounded-lg border border-line bg-page px-3"
        />
      </label>
      {state === 'wrong' && (
        <p role="alert" className="text-small text-bad">
          {t('entry.wrong')}
        </p>
      )}
      <Button look="primary" type="submit" disabled={state === 'asking' || password === ''} className="w-full">
        {t('entry.enter')}
      </Button>
    </form>
  );
}
