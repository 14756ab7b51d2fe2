import { useQuery } from '@tanstack/react-query';
import type { ComponentProps, ReactNode } from 'react';
import type { Schemas } from '@/api/client';
import { QueryState } from '@/components/query-state';
import type { LoadingBlock } from '@/components/ui/skeleton';
import { authQueries } from '@/features/accounts/auth/queries';

type SignedInProps = ComponentProps<typeof LoadingBlock> & {
  /** What a visitor sees in its place. */
  visitor: ReactNode;
  children: (user: Schemas['User']) => ReactNode;
};

/** What is for people with an account; the other props say that it loads. */
export function SignedIn({ visitor, children, ...loading }: SignedInProps) {
  const user = useQuery(authQueries.user());
  if (user.data === undefined) return <QueryState query={user} what="Your account" {...loading} />;
  return user.data === null ? visitor : children(user.data);
}
