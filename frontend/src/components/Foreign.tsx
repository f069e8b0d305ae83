import { useTranslation } from 'react-i18next';
import { piecesOf } from './hidden';

/**
 * Text of a stranger: a server's name for something, what it says, what it answered. Characters
 * that nobody would see stand as their codes, and none of it turns the direction of what is around it.
 */
export function Foreign({ text, lang }: { text: string; lang?: string }) {
  const { t } = useTranslation();
  return (
    <bdi lang={lang}>
      {piecesOf(text).map((piece, index) =>
        piece.hidden ? (
          <mark key={index} title={t('changed.hiddenOne')} className="rounded bg-warn-soft px-0.5 font-semibold text-warn ring-1 ring-warn/40">
            {piece.text}
          </mark>
        ) : (
          piece.text
        ),
      )}
    </bdi>
  );
}
