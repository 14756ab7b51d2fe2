import { act, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useAddressText } from '@/hooks/use-address-text';
import { renderScreen } from '@/testing/render';

function Field({ label }: { label: string }) {
  const [text, setText] = useAddressText('q');
  return (
    <input aria-label={label} value={text} onChange={(event) => setText(event.target.value)} />
  );
}

it('follows a link to the same screen without a search', async () => {
  const { person, router } = renderScreen(<Field label="Search" />, '/here');
  await person.type(screen.getByRole('textbox'), 'ford');
  await waitFor(() => expect(router.state.location.search).toBe('?q=ford'));
  await act(() => router.navigate('/here'));
  expect(screen.getByRole('textbox')).toHaveValue('');
  await act(() => new Promise((done) => setTimeout(done, 400)));
  expect(router.state.location.search).toBe('');
});

it('agrees with another field of its name', async () => {
  const { person, router } = renderScreen(
    <>
      <Field label="One" />
      <Field label="Other" />
    </>,
    '/here',
  );
  await person.type(screen.getByRole('textbox', { name: 'One' }), 'ford');
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'Other' })).toHaveValue('ford'));
  let steps = 0;
  router.subscribe(() => (steps += 1));
  await act(() => new Promise((done) => setTimeout(done, 400)));
  expect(steps).toBe(0);
});
