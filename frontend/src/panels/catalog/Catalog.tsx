import { ArrowLeft, PackagePlus } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useState } from 'react';
import { useCatalog } from '@/app/queries';
import type { Catalog, CatalogRow } from '@/bridge';
import { Badge, Button, Notice, SearchField } from '@/components';
import { placeOf } from '@/panels/mcp/faces';
import { useWords } from '@/words';
import { Install } from './Install';

/** Servers that can be added by name, and the form that adds one. */
export function CatalogButton({ onServer }: { onServer: (name: string) => void }) {
  const { t } = useWords();
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState<CatalogRow | null>(null);
  return (
    <Dialog.Root
      open={open}
      onOpenChange={(now) => {
        setOpen(now);
        setChosen(null);
      }}
    >
      <Dialog.Trigger asChild>
        <Button small look="quiet" icon={<PackagePlus />} className="w-full">
          {t('catalog.button')}
        </Button>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 animate-[fade_120ms_ease-out] bg-black/40 backdrop-blur-[1px]" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed top-1/2 left-1/2 z-50 flex max-h-[calc(100vh-2rem)] w-[min(42rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 animate-[rise_160ms_ease-out] flex-col rounded-2xl border border-line bg-surface px-6 pt-6 shadow-pop dark:bg-raised"
        >
          <Dialog.Title className="text-title font-semibold">{chosen ? t('catalog.install', { server: chosen.name }) : t('catalog.title')}</Dialog.Title>
          {chosen ? (
            <Install
              key={chosen.name}
              row={chosen}
              onServer={() => {
                setOpen(false);
                onServer(chosen.name);
              }}
            />
          ) : (
            <Rows onChoose={setChosen} />
          )}
          <div className="-mx-6 flex justify-end gap-2 border-t border-line px-6 py-4">
            {chosen && (
              <Button icon={<ArrowLeft />} className="mr-auto" onClick={() => setChosen(null)}>
                {t('arrival.back')}
              </Button>
            )}
            <Dialog.Close asChild>
              <Button>{t('close')}</Button>
            </Dialog.Close>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Rows({ onChoose }: { onChoose: (row: CatalogRow) => void }) {
  const { t } = useWords();
  const { data, error, isPending } = useCatalog();
  const [search, setSearch] = useState('');
  if (isPending) return <p className="py-6 text-ink-soft">{t('loading')}</p>;
  if (error) {
    return (
      <Notice tone="bad" kind={t(`failure.${error.code}`)} hint={error.hint} className="my-4">
        {error.message}
      </Notice>
    );
  }
  const shown = installable(data).filter((row) => `${row.name}\n${row.description}`.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <>
      <div className="mt-3">
        <SearchField label={t('catalog.search')} value={search} onChange={setSearch} />
      </div>
      <div className="mt-3 -mr-3 min-h-0 flex-1 overflow-y-auto pr-3 pb-5">
        <ul aria-label={t('catalog.title')} className="divide-y divide-line rounded-xl border border-line">
          {shown.map((row) => (
            <li key={row.name} className="flex items-start gap-3 px-3.5 py-2.5">
              <div className="min-w-0 flex-1">
                <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
                  <span className="font-medium">{row.name}</span>
                  {row.outside && <Badge tone="warn">{row.origin}</Badge>}
                  {row.status !== 'available' && <Badge>{t('catalog.there')}</Badge>}
                </p>
                <p className="mt-0.5 text-small break-words text-ink-soft">{row.description}</p>
              </div>
              <Button small aria-label={t('catalog.choose', { server: row.name })} onClick={() => onChoose(row)}>
                {row.status === 'available' ? t('catalog.add') : t('catalog.again')}
              </Button>
            </li>
          ))}
        </ul>
        {shown.length === 0 && <p className="py-6 text-center text-ink-soft">{t('catalog.none')}</p>}
        {data.problems.map((problem, index) => (
          <Notice key={index} tone="warn" kind={problem.name} place={placeOf(problem.file, problem.line)} hint={problem.hint} className="mt-2">
            {problem.message}
          </Notice>
        ))}
      </div>
    </>
  );
}

// Servers that only the file knows have no manifest to install from.
function installable(catalog: Catalog): CatalogRow[] {
  return catalog.rows.filter((row) => !row.status.startsWith('custom'));
}
