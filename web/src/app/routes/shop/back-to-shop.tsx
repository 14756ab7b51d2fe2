import { useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { Link } from 'react-router';
import { hasShop } from '@/app/routes/shop/has-shop';
import { paths } from '@/config/paths';
import { authQueries } from '@/features/accounts/auth/queries';

/** The way back to the shop's home; nothing for those who have no shop. */
export function BackToShop() {
  const user = useQuery(authQueries.user());
  if (user.data == null || !hasShop(user.data)) return null;
  return (
    <Link
      to={paths.shop}
      className="flex w-fit min-h-9 items-center gap-1.5 rounded-md text-sm font-medium text-soft hover:text-ink"
    >
      <ArrowLeft className="size-4" aria-hidden />
      Shop
    </Link>
  );
}
