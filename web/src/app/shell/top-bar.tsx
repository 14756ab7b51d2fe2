import { Link } from 'react-router';
import type { Schemas } from '@/api/client';
import { hasShop } from '@/app/routes/shop/has-shop';
import { ShopLink } from '@/app/shell/shop-link';
import { Wordmark } from '@/components/logo';
import { Badge } from '@/components/ui/badge';
import { Skeleton } from '@/components/ui/skeleton';
import { paths } from '@/config/paths';
import { AlertsBell } from '@/features/garage/alerts/components/alerts-bell';
import { VehicleSwitcher } from '@/features/garage/vehicles/components/vehicle-switcher';

type TopBarProps = {
  user: Schemas['User'] | null;
  loading: boolean;
  /** Why it is not known who is signed in; null where it is. */
  failed: string | null;
};

export function TopBar(props: TopBarProps) {
  const { user } = props;
  return (
    <header className="sticky top-0 low:static z-30 border-b bg-canvas/95 backdrop-blur print:hidden">
      {/* Three columns, so that the vehicle stays in the centre whatever stands at the sides. On a phone, whose end is as
          wide as the bell where nobody is signed in, large text takes a second line rather than its name. */}
      <div className="mx-auto flex min-h-16 max-w-6xl flex-wrap items-center gap-3 px-4 sm:grid sm:grid-cols-[1fr_minmax(0,auto)_1fr] sm:px-6">
        <Link
          to={paths.home}
          aria-label="Partsight, home"
          className="justify-self-start rounded-md"
        >
          <Wordmark />
        </Link>
        <div className="flex min-w-0 flex-1 basis-32 justify-center">
          <Middle {...props} />
        </div>
        <div className="flex min-w-10 justify-end">
          {user !== null && hasShop(user) && <ShopLink />}
          {user !== null && <AlertsBell />}
        </div>
      </div>
    </header>
  );
}

function Middle({ user, loading, failed }: TopBarProps) {
  if (loading) return <Skeleton className="h-9 w-44" />;
  if (user === null && failed !== null) return <Badge tone="warn">{failed}</Badge>;
  return <VehicleSwitcher signedIn={user !== null} />;
}
