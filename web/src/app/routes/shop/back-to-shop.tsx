import { useQuery } from '@tanstack/react-query';
import { hasShop } from '@/app/routes/shop/has-shop';
import { BackLink } from '@/components/back-link';
import { paths } from '@/config/paths';
import { authQueries } from '@/features/accounts/auth/queries';

/** The way back to the shop's home; nothing for those who have no shop. */
export function BackToShop() {
  const user = useQuery(authQueries.user());
  if (user.data == null || !hasShop(user.data)) return null;
  return <BackLink to={paths.shop}>Shop</BackLink>;
}
