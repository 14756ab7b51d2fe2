import { useQuery } from '@tanstack/react-query';
import { screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { userQuery } from '@/api/user';
import { Field } from '@/components/ui/field';
import { useForm } from '@/hooks/use-form';
import { ada } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer, refuse, SIGNED_OUT } from '@/testing/server';

const schema = z.object({ part: z.string(), cost: z.string().check(z.minLength(1)) });
const initial = { part: '', cost: '' };

function RepairForm() {
  const form = useForm({ schema, initial, draftKey: 'draft.repair' });
  return (
    <form onSubmit={form.submit(() => undefined)}>
      <Field label="Part" {...form.bindWithError('part')} />
      <Field label="Cost" {...form.bindWithError('cost')} />
      <button type="submit">Save</button>
    </form>
  );
}

function Screen() {
  return useQuery(userQuery()).data == null ? null : <RepairForm />;
}

/** Types into the form, half of it, until `then`; what the form holds when it is opened the next time. */
async function openAfter(then: (screenOf: ReturnType<typeof renderScreen>) => Promise<unknown>) {
  const before = renderScreen(<Screen />);
  await before.person.type(await screen.findByLabelText('Part'), 'Alternator');
  await before.person.click(screen.getByRole('button', { name: 'Save' }));
  await then(before);
  before.unmount();
  answer('get', '/api/auth/user', ada);
  renderScreen(<Screen />);
  return screen.findByLabelText('Part');
}

beforeEach(() => answer('get', '/api/auth/user', ada));

it('keeps what is half filled in over a session that ended elsewhere', async () => {
  const field = await openAfter(async ({ queryClient }) => {
    refuse('get', '/api/auth/user', SIGNED_OUT);
    await queryClient.invalidateQueries();
    await waitFor(() => expect(queryClient.getQueryState(['auth', 'user'])?.error).not.toBeNull());
  });
  expect(field).toHaveValue('Alternator');
});

it('keeps nothing of a form that is left during a session', async () => {
  expect(await openAfter(() => Promise.resolve())).toHaveValue('');
});
