import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { partSearchQuery } from '@/api/part-search';
import { catalogHref } from '@/config/paths';

/** Leads to the part type that has this name already, if one has. */
export function KnownType({ name }: { name: string }) {
  const found = useQuery(partSearchQuery(name)).data ?? [];
  const known = found.find(
    (one) => one.kind === 'type' && one.name.toLowerCase() === name.toLowerCase(),
  );
  if (known === undefined) return null;
  return (
    <Link
      to={catalogHref(known.id)}
      className="text-sm font-medium wrap-anywhere text-accent underline underline-offset-4"
    >
      See {known.name}
    </Link>
  );
}
