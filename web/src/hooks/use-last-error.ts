import { useState } from 'react';
import type { UseQueryResult } from '@tanstack/react-query';

/** Why a read without data failed last, also while it is asked again: the query itself forgets it then. */
export function useLastError({ error, isPending }: Pick<UseQueryResult, 'error' | 'isPending'>) {
  const [last, setLast] = useState(error);
  if (!isPending && last !== error) setLast(error);
  return isPending ? last : error;
}
