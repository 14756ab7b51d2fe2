import { useMutation } from '@tanstack/react-query';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { useToast } from '@/components/ui/use-toast';
import { renderScreen } from '@/testing/render';

function Bench() {
  const toast = useToast();
  return (
    <>
      {['first', 'second'].map((name) => (
        <button
          key={name}
          type="button"
          onClick={() => toast({ title: `Title ${name}`, description: `Text ${name}` })}
        >
          {name}
        </button>
      ))}
    </>
  );
}

it('shows one toast at a time, and lets it be dismissed', async () => {
  const { person } = renderScreen(<Bench />);
  await person.click(screen.getByRole('button', { name: 'first' }));
  expect(await screen.findByText('Title first')).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'second' }));
  expect(screen.getByText('Title second')).toBeVisible();
  expect(screen.queryByText('Title first')).not.toBeInTheDocument();
  await person.click(screen.getByRole('button', { name: 'Dismiss' }));
  expect(screen.queryByText('Title second')).not.toBeInTheDocument();
});

it('takes a failure off the screen when the same is tried again', async () => {
  const answers = [() => Promise.reject(new Error('no')), () => new Promise<void>(() => undefined)];
  function Trial() {
    const toast = useToast();
    const trial = useMutation({
      mutationFn: () => answers.shift()?.() ?? Promise.resolve(),
      onError: () => toast({ title: 'It failed', description: 'Try again.', tone: 'bad' }),
    });
    return (
      <button type="button" onClick={() => trial.mutate()}>
        try
      </button>
    );
  }
  const { person } = renderScreen(<Trial />);
  await person.click(screen.getByRole('button', { name: 'try' }));
  expect(await screen.findByText('It failed')).toBeVisible();
  await person.click(screen.getByRole('button', { name: 'try' }));
  await waitFor(() => expect(screen.queryByText('It failed')).not.toBeInTheDocument());
});

it('shows what is said outside of any component', async () => {
  renderScreen(<p>Read</p>);
  const detail = { title: 'An update is waiting', description: 'Close that tab.' };
  act(() => {
    window.dispatchEvent(new CustomEvent('toast', { detail }));
  });
  expect(await screen.findByText('An update is waiting')).toBeVisible();
});

it('is reached by F8', async () => {
  const { person } = renderScreen(<Bench />);
  await person.click(screen.getByRole('button', { name: 'first' }));
  await screen.findByText('Title first');
  fireEvent.keyDown(document.body, { key: 'F8', code: 'F8' });
  expect(screen.getByRole('region', { name: /Notifications/ })).toContainElement(
    document.activeElement as HTMLElement,
  );
});
