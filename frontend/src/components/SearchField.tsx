import { Search } from 'lucide-react';

/** A field that narrows a list as one types; Escape empties it. */
export function SearchField({ label, value, onChange }: { label: string; value: string; onChange: (text: string) => void }) {
  return (
    <label className="relative block min-w-0">
      <span className="sr-only">{label}</span>
      <Search aria-hidden="true" className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-ink-faint" />
      <input
        type="search"
        value={value}
        placeholder={label}
        onChange={(e) => onChange(e.target.value)}
        onKeyDown={(e) => {
          if (e.key === 'Escape' && value !== '') {
            e.stopPropagation();
            onChange('');
          }
        }}
        className="h-8.5 w-full rounded-lg border border-line bg-surface pr-2.5 pl-8.5 text-body placeholder:text-ink-faint focus-visible:outline-offset-0 dark:bg-sunken"
      />
    </label>
  );
}
