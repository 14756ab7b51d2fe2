import { ArrowLeft } from 'lucide-react';
import { Link } from 'react-router';
import { paths } from '@/config/paths';

export function BackToCatalog() {
  return (
    <Link
      to={paths.catalog}
      className="flex w-fit min-h-9 items-center gap-1.5 rounded-md text-sm font-medium text-soft hover:text-ink"
    >
      <ArrowLeft className="size-4" aria-hidden />
      Taught Parts
    </Link>
  );
}
