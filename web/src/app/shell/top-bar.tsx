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
    <header className="@container sticky top-0 low:static z-30 border-b bg-canvas/95 backdrop-blur print:hidden">
      <div className="top-bar">
        <Link
          to={paths.home}
          aria-label="Partsight, home"
          className="justify-self-start rounded-md"
        >
          <Wordmark />
        </Link>
        <div className="flex min-w-0 flex-1 basis-32 justify-center tight:order-last tight:basis-full">
          <Middle {...props} />
        </div>
        <div className="ml-auto flex min-w-10 justify-end sm:min-w-max">
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
