import { FileText, FileX, Server as ServerIcon } from 'lucide-react';
import { useState } from 'react';
import { brokenOf, isBanner } from '@/app/Banners';
import { FirstLook, NotStarted } from '@/app/FirstLook';
import { useServerList } from '@/app/queries';
import { ReloadButton, ReloadNotice } from '@/app/Reload';
import { usePolicy, useServices } from '@/app/services';
import type { Overview } from '@/bridge';
import { Empty, Notice } from '@/components';
import { CatalogButton } from '@/panels/catalog/Catalog';
import { AuditButton } from '@/panels/audit/Audit';
import { HooksButton } from '@/panels/hooks/Hooks';
import { useWords } from '@/words';
import { placeOf } from './faces';
import { Problems } from './Problems';
import { ServerDetailPane } from './ServerDetail';
import { ServerList } from './ServerList';

/** The place of the MCP servers: the list on the left, one server on the right. */
export function McpPlace({ overview }: { overview: Overview | undefined }) {
  const { t } = useWords();
  const { data, error, isPending } = useServerList();
  const policy = usePolicy();
  const { edits, reloads } = useServices();
  const [chosen, setChosenOnly] = useState<string | null>(null);
  // What was said about a past edit or reload belongs to what was looked at then.
  const setChosen = (name: string | null) => {
    if (name !== chosen) {
      edits.leave();
      reloads.close();
    }
    setChosenOnly(name);
  };
  const servers = data?.servers ?? [];
  const started = overview?.started ?? true;
  // Before anything starts the first look stands where a server would.
  const preset = started ? (servers[0]?.name ?? null) : null;
  const selected = servers.some((server) => server.name === chosen) ? chosen : preset;
  const path = data?.config.path ?? '';
  const broken = brokenOf(overview);
  // Of a file that could not be read once, nothing can be listed or started.
  const unknown = broken !== undefined && servers.length === 0;
  // The others have a banner over both places.
  const problems = (data?.config.problems ?? []).filter((one) => !isBanner(one.code));
  return (
    <div className="flex min-h-0 flex-1">
      <aside aria-label={t('servers.title')} className="flex w-56 shrink-0 flex-col border-r border-line bg-page lg:w-76">
        <div className="flex flex-wrap items-center justify-between gap-x-2 gap-y-1 px-5 pt-5 pb-3">
          <h1 className="text-title font-semibold tracking-tight">{t('servers.title')}</h1>
          <AuditButton revision={data?.config.revision ?? ''} onServer={setChosen} />
        </div>
        <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
          <ServerList servers={servers} selected={selected} trusted={policy.state === 'ready'} onSelect={setChosen} />
        </div>
        <div className="border-t border-line px-2 py-1.5 empty:hidden">
          <HooksButton revision={data?.config.revision ?? ''} />
        </div>
        {/* What is added to the demo would be gone with it. */}
        {!overview?.demo && (
          <div className="border-t border-line px-2 py-1.5">
            <CatalogButton onServer={setChosen} />
          </div>
        )}
        {path && (
          <div className="flex items-start gap-1.5 border-t border-line px-4 py-2.5 text-tiny text-ink-faint">
            <FileText aria-hidden="true" className="mt-px size-3.5 shrink-0" />
            <span className="min-w-0 flex-1 font-mono [overflow-wrap:anywhere]">{path}</span>
            <ReloadButton />
          </div>
        )}
      </aside>
      <main tabIndex={-1} id="main" className="min-w-0 flex-1 overflow-y-auto bg-page">
        <div className="mx-auto max-w-4xl px-6 pt-6 empty:hidden lg:px-8">
          <ReloadNotice />
        </div>
        {((!started && !unknown) || problems.length > 0 || error) && (
          <div className="mx-auto max-w-4xl space-y-3 px-6 pt-6 lg:px-8">
            {!started && overview && !unknown && (selected === null ? <FirstLook overview={overview} /> : <NotStarted overview={overview} onShow={() => setChosen(null)} />)}
            <Problems problems={problems} path={path} />
            {error && (
              <Notice live tone="bad" kind={t(`failure.${error.code}`)} hint={error.hint}>
                {error.message}
              </Notice>
            )}
          </div>
        )}
        {selected !== null && <ServerDetailPane key={selected} name={selected} path={path} started={started} />}
        {servers.length === 0 && !isPending && !error && (
          <Empty icon={broken ? <FileX /> : <ServerIcon />} title={broken ? t('first.brokenTitle') : t('servers.noneTitle')}>
            {broken ? (
              <>
                <span className="block font-mono text-tiny [overflow-wrap:anywhere]">{placeOf(broken.file || path, broken.line, broken.column)}</span> {t('first.broken')}
              </>
            ) : (
              t('servers.none', { path })
            )}
          </Empty>
        )}
      </main>
    </div>
  );
}
