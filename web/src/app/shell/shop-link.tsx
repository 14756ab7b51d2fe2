import { Store } from 'lucide-react';
import { NavLink } from 'react-router';
import { paths } from '@/config/paths';

/** The way to the shop's home, from every screen that has the top bar. */
export function ShopLink() {
  return (
    <NavLink
      to={paths.shop}
      aria-label="Shop"
      className="grid icon-button place-items-center rounded-full text-soft hover:bg-hover hover:text-ink aria-[current=page]:text-accent"
    >
      <Store className="size-5" aria-hidden />
    </NavLink>
  );
}
