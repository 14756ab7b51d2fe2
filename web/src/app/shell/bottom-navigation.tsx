import { Car, CircleUserRound, History, ScanLine, Tag } from 'lucide-react';
import { NavLink } from 'react-router';
import { paths } from '@/config/paths';

const TABS = [
  { to: paths.home, label: 'Scan', Icon: ScanLine },
  { to: paths.vehicle, label: 'Vehicle', Icon: Car },
  { to: paths.history, label: 'History', Icon: History },
  { to: paths.pricing, label: 'Pricing', Icon: Tag },
  { to: paths.profile, label: 'Profile', Icon: CircleUserRound },
];

export function BottomNavigation() {
  return (
    <nav
      aria-label="Main"
      className="@container fixed inset-x-0 bottom-0 low:static z-30 border-t bg-canvas/95 backdrop-blur print:hidden pb-[env(safe-area-inset-bottom)]"
    >
      <ul className="mx-auto grid min-h-17 max-w-xl grid-cols-5 items-center px-2">
        {TABS.map(({ to, label, Icon }) => (
          <li key={to}>
            <NavLink
              to={to}
              // Pending while its code is on the way, which a slow network takes long for.
              className="group grid justify-items-center gap-1 rounded-md py-1 text-xs @max-2xs:text-[0.5rem] font-medium text-muted hover:text-ink aria-[current=page]:text-accent [&.pending]:text-ink [&.pending]:animate-pulse"
            >
              <span className="grid h-7 w-full max-w-13 place-items-center rounded-full transition-colors group-aria-[current=page]:bg-accent-wash">
                <Icon className="size-5" aria-hidden />
              </span>
              {label}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  );
}
