import type { Schemas } from '@/api/client';

type ShopPartTextsProps = { parts: Schemas['ShopPartText'][] };

/** The number and the note of parts of the shop, by which they are told from others that look like them. */
export function ShopPartTexts({ parts }: ShopPartTextsProps) {
  if (parts.length === 0) return null;
  return (
    <ul className="grid gap-1 text-xs text-soft">
      {parts.map(({ id, number, brand, name, notes }) => (
        <li key={id} className="wrap-anywhere">
          <span className="font-medium">{brand === null ? number : `${brand} ${number}`}</span>
          {name !== null && `, ${name}`}
          {notes !== null && <span className="block whitespace-pre-line">{notes}</span>}
        </li>
      ))}
    </ul>
  );
}
