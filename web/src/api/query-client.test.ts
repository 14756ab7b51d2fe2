import { expect, it, vi } from 'vitest';
import { ApiError } from '@/api/api-error';
import { createQueryClient } from '@/api/query-client';

async function mutate(
  queryClient: ReturnType<typeof createQueryClient>,
  work: () => Promise<unknown>,
) {
  const mutation = queryClient.getMutationCache().build(queryClient, { mutationFn: work });
  await mutation.execute(undefined).catch(() => undefined);
}

it('keeps reads fresh for 30 s, for 60 s in all, with no polling and no retries', () => {
  expect(createQueryClient().getDefaultOptions().queries).toMatchObject({
    staleTime: 30_000,
    gcTime: 60_000,
    refetchInterval: false,
    refetchOnWindowFocus: true,
    retry: false,
  });
});

it('invalidates everything after a success', async () => {
  const queryClient = createQueryClient();
  const invalidate = vi.spyOn(queryClient, 'invalidateQueries');
  await mutate(queryClient, () => Promise.resolve('done'));
  expect(invalidate).toHaveBeenCalledWith();
});

it('refreshes the figures when the allowance is used up, and only then', async () => {
  const queryClient = createQueryClient();
  const invalidate = vi.spyOn(queryClient, 'invalidateQueries');
  await mutate(queryClient, () => Promise.reject(new ApiError(503, '', 'busy', '', null, '')));
  expect(invalidate).not.toHaveBeenCalled();
  await mutate(queryClient, () =>
    Promise.reject(new ApiError(429, '', 'limit-reached', '', null, '')),
  );
  expect(invalidate).toHaveBeenCalledOnce();
  // Whatever the status: the sentence says it as well (section 8).
  await mutate(queryClient, () =>
    Promise.reject(new ApiError(403, '', 'forbidden', '', null, 'Monthly scan limit exceeded.')),
  );
  expect(invalidate).toHaveBeenCalledTimes(2);
});

it.each([
  [403, 'no longer allowed'],
  [404, 'gone'],
  [409, 'changed meanwhile'],
])('refreshes the lists after a %i: what was asked for is %s', async (status) => {
  const queryClient = createQueryClient();
  const invalidate = vi.spyOn(queryClient, 'invalidateQueries');
  await mutate(queryClient, () => Promise.reject(new ApiError(status, '', '', '', null, '')));
  expect(invalidate).toHaveBeenCalledWith();
});
