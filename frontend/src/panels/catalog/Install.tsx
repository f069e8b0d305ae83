import { Download } from 'lucide-react';
import { useQueryClient } from '@tanstack/react-query';
import { useId, useState, type ReactNode } from 'react';
import { useInstallPlan } from '@/app/queries';
import { useServices } from '@/app/services';
import { toCallError, type CallError, type CatalogRow, type CatalogVariable, type Installed, type InstallPlan } from '@/bridge';
import { Badge, Button, Notice } from '@/components';
import { useWords } from '@/words';

type State = { now: 'asking' } | { now: 'running' } | { now: 'failed'; error: CallError } | { now: 'done'; installed: Installed };

/** One server of the catalogue: what it would run, what it needs, and the click that installs it. */
export function Install({ row, onServer }: { row: CatalogRow; onServer: () => void }) {
  const { t } = useWords();
  const { transport } = useServices();
  const queries = useQueryClient();
  const { data: plan, error } = useInstallPlan(row.name);
  const [state, setState] = useState<State>({ now: 'asking' });
  const id = useId();
  const run = async (element: HTMLFormElement, seen: InstallPlan) => {
    // The values live in the form's fields alone; they are read once, sent, and gone.
    const values = Object.fromEntries([...new FormData(element)].flatMap(([name, value]) => (typeof value === 'string' && value !== '' && name.startsWith('value:') ? [[name.slice(6), value]] : [])));
    element.reset();
    setState({ now: 'running' });
    try {
      const installed = await transport.call('InstallEntry', { name: row.name, values, existing: seen.hands_over, confirmed: true, skip_integrity: false, revision: seen.revision });
      setState({ now: 'done', installed });
    } catch (err) {
      setState({ now: 'failed', error: toCallError(err) });
    }
    await queries.invalidateQueries();
  };
  if (state.now === 'done') return <Done installed={state.installed} onServer={onServer} />;
  return (
    <form
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        if (plan) void run(event.currentTarget, plan);
      }}
      className="mt-3 -mr-3 min-h-0 flex-1 space-y-4 overflow-y-auto pr-3 pb-5"
    >
      <p className="break-words text-ink-soft">{row.description}</p>
      {row.outside && (
        <Notice tone="warn" kind={t('catalog.outside')}>
          {t('catalog.outsideText', { origin: row.origin })}
        </Notice>
      )}
      <Lines title={t('catalog.runs')}>
        {row.commands.map((line, index) => (
          <li key={index} className="font-mono text-tiny leading-5 [overflow-wrap:anywhere]">
            {line}
          </li>
        ))}
      </Lines>
      {row.auth === 'oauth' && (
        <Notice tone="info" kind={t('catalog.oauth')}>
          {t('catalog.oauthText')}
        </Notice>
      )}
      {row.variables.map((one) => (
        <Field key={one.name} one={one} id={`${id}${one.name}`} disabled={state.now === 'running'} />
      ))}
      {plan && <PlanFacts plan={plan} />}
      {plan?.confirm && (
        <label className="flex items-start gap-2 text-small">
          <input type="checkbox" name="read" required className="mt-0.5 size-4 accent-accent" />
          <span>{t('catalog.read')}</span>
        </label>
      )}
      {error && (
        <Notice tone="bad" kind={t(`failure.${error.code}`)} hint={error.hint}>
          {error.message}
        </Notice>
      )}
      {state.now === 'failed' && (
        <Notice live tone="bad" kind={t(`failure.${state.error.code}`)} hint={state.error.hint}>
          {state.error.message}
        </Notice>
      )}
      <Button look="primary" type="submit" icon={<Download />} disabled={!plan || state.now === 'running'}>
        {state.now === 'running' ? t('catalog.running') : t('catalog.go', { server: row.name })}
      </Button>
    </form>
  );
}

/** A value the server needs; a secret one is never shown, and none is kept by the page. */
function Field({ one, id, disabled }: { one: CatalogVariable; id: string; disabled: boolean }) {
  const { t } = useWords();
  const needed = one.required && !one.set && one.default === '';
  return (
    <div>
      <label htmlFor={id} className="mb-1 flex flex-wrap items-center gap-2 text-small">
        <span className="font-mono text-tiny font-medium">{one.name}</span>
        {one.prompt && <span className="text-ink-soft">{one.prompt}</span>}
        {needed && <Badge tone="accent">{t('catalog.needed')}</Badge>}
      </label>
      <input
        id={id}
        name={`value:${one.name}`}
        type={one.secret ? 'password' : 'text'}
        autoComplete="off"
        spellCheck={false}
        required={needed}
        disabled={disabled}
        defaultValue={one.secret ? '' : one.default}
        placeholder={one.set ? t('catalog.set') : ''}
        className="h-9 w-full rounded-lg border border-line bg-page px-3 text-body placeholder:text-ink-faint"
      />
    </div>
  );
}

function PlanFacts({ plan }: { plan: InstallPlan }) {
  const { t, say } = useWords();
  return (
    <>
      {plan.replaces && (
        <Notice tone="warn" kind={t('catalog.replaces')}>
          {plan.replaces}
        </Notice>
      )}
      {plan.hands_over.length > 0 && (
        <Notice tone="warn" kind={t('catalog.handsOver')}>
          {t('catalog.handsOverText', { variables: plan.hands_over.join(', ') })}
        </Notice>
      )}
      {plan.exists && <p className="text-small text-ink-soft">{t('catalog.keeps')}</p>}
      <p className="text-small">
        <span className="text-ink-faint">{t('catalog.rules')}</span> <span className="font-medium">{say(plan.rules)}</span>
      </p>
      {plan.unhashed.length > 0 && <p className="text-small text-warn">{t('catalog.unhashed', { packages: plan.unhashed.join(', ') })}</p>}
      <Lines title="">
        {plan.notes.map((note) => (
          <li key={note} className="text-small text-ink-soft">
            {note}
          </li>
        ))}
      </Lines>
    </>
  );
}

function Done({ installed, onServer }: { installed: Installed; onServer: () => void }) {
  const { t, say, problem } = useWords();
  return (
    <div className="mt-3 min-h-0 flex-1 space-y-2 overflow-y-auto pb-5">
      <Notice
        live
        tone="good"
        kind={t('catalog.done')}
        place={installed.path}
        actions={
          <Button small onClick={onServer}>
            {t('audit.showServer', { server: installed.server })}
          </Button>
        }
      >
        {installed.server}: {say(installed.rules)}
      </Notice>
      {installed.look_error && (
        <Notice tone="warn" kind={t('catalog.notLooked')}>
          {installed.look_error}
        </Notice>
      )}
      {installed.problems.map((p, index) => (
        <Notice key={index} tone="warn" kind={t('problems.warning')} hint={problem(p).hint}>
          {problem(p).message}
        </Notice>
      ))}
      <Lines title="">
        {[...installed.notes, installed.post_install].filter(Boolean).map((note) => (
          <li key={note} className="text-small whitespace-pre-line text-ink-soft">
            {note}
          </li>
        ))}
      </Lines>
    </div>
  );
}

function Lines({ title, children }: { title: string; children: ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <div>
      {title && <p className="mb-1 text-small text-ink-faint">{title}</p>}
      <ul className="space-y-0.5 rounded-xl bg-sunken px-3.5 py-2">{children}</ul>
    </div>
  );
}
