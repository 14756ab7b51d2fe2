import { BackLink } from '@/components/back-link';
import { paths } from '@/config/paths';

export function BackToCatalog() {
  return <BackLink to={paths.catalog}>Taught Parts</BackLink>;
}
