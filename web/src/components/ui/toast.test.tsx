import { fireEvent, screen } from '@testing-library/react';
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

it('is reached by F8', async () => {
  const { person } = renderScreen(<Bench />);
  await person.click(screen.getByRole('button', { name: 'first' }));
  await screen.findByText('Title first');
  fireEvent.keyDown(document.body, { key: 'F8', code: 'F8' });
  expect(screen.getByRole('region', { name: /Notifications/ })).toContainElement(
    document.activeElement as HTMLElement,
  );
});
