import { ChevronRight, Store } from 'lucide-react';
import { Link } from 'react-router';
import { paths } from '@/config/paths';

/** The way from the home screen to the tools of the shop. */
export function HomeShop() {
  return (
    <Link
      to={paths.shop}
      className="flex items-center gap-4 rounded-lg border bg-surface p-4 transition-colors hover:border-control hover:bg-raised"
    >
      <span className="grid size-11 shrink-0 place-items-center rounded-full bg-accent-wash text-accent">
        <Store className="size-5" aria-hidden />
      </span>
      <span className="grid min-w-0 flex-1 gap-0.5">
        <span className="font-semibold">Your Shop</span>
        <span className="text-sm text-muted">Batches, bench, parts, price lists and team</span>
      </span>
      <ChevronRight className="size-4 shrink-0 text-muted" aria-hidden />
    </Link>
  );
}
