import { queryOptions, type QueryKey } from '@tanstack/react-query';
import { bodyOf, read } from '@/api/client';

type Ask<Data> = (signal: AbortSignal) => Promise<{ data?: Data }>;

/** The options of a read that is null for a visitor. */
export function readQuery<Key extends QueryKey, Data>(queryKey: Key, ask: Ask<Data>) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => read(ask(signal)) });
}

/** The options of a read that always has an answer. */
export function bodyQuery<Key extends QueryKey, Data>(queryKey: Key, ask: Ask<Data>) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => bodyOf(ask(signal)) });
}
