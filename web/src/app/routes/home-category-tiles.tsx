import { Cog, Disc3, Spline, Zap, type LucideIcon } from 'lucide-react';
import type { Schemas } from '@/api/client';
import { partsHref } from '@/config/paths';
import { classNames } from '@/lib/class-names';

const TILES: { category: Schemas['PartCategory']; label: string; Icon: LucideIcon }[] = [
  { category: 'engine', label: 'Engine', Icon: Cog },
  { category: 'brake', label: 'Brake', Icon: Disc3 },
  { category: 'electrical', label: 'Electrical', Icon: Zap },
  { category: 'suspension', label: 'Suspension', Icon: Spline },
];

type CategoryTilesProps = { enabled: boolean };

/** The four ways into the parts browser; they lead nowhere while there is no default vehicle. */
export function CategoryTiles({ enabled }: CategoryTilesProps) {
  return (
    <nav aria-label="Parts by category" className="@container">
      <ul className="grid grid-cols-2 gap-2 @2xs:max-sm:grid-cols-4 @sm:grid-cols-4">
        {TILES.map(({ category, label, Icon }) => (
          <li key={category}>
            {/* A link without an address is what a disabled link is (HTML, "placeholder link"). */}
            <a
              {...(enabled ? { href: partsHref(category) } : { role: 'link' })}
              aria-disabled={!enabled}
              className={classNames(
                'grid justify-items-center gap-1.5 rounded-lg border bg-surface px-1 py-3.5 text-xs font-medium transition-colors max-[399px]:px-0 max-[399px]:text-[0.6875rem] max-[399px]:tracking-tight sm:text-sm',
                enabled
                  ? 'hover:border-control hover:bg-raised'
                  : 'cursor-not-allowed border-dashed text-muted',
              )}
            >
              <Icon className={classNames('size-5', enabled && 'text-accent')} aria-hidden />
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
