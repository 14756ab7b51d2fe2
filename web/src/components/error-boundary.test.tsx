import { render, screen } from '@testing-library/react';
import { Suspense } from 'react';
import { beforeEach, expect, it, vi } from 'vitest';
import { ErrorBoundary } from '@/components/error-boundary';
import { lazyComponent } from '@/components/lazy-component';
import { renderScreen } from '@/testing/render';

type GreetingProps = { name: string };

const load = vi.fn<() => Promise<typeof Greeting>>();

function Greeting({ name }: GreetingProps) {
  return <p>Hello {name}</p>;
}

beforeEach(() => {
  load.mockReset();
  // React and the boundary write down what failed.
  vi.spyOn(console, 'error').mockReturnValue();
});

it('asks again for code that did not arrive', async () => {
  load.mockRejectedValueOnce(new TypeError('offline')).mockResolvedValue(Greeting);
  const Lazy = lazyComponent(load);
  const { person } = renderScreen(
    <ErrorBoundary what="The greeting">
      <Suspense>
        <Lazy name="Ada" />
      </Suspense>
    </ErrorBoundary>,
  );
  expect(await screen.findByText('The greeting could not be shown')).toBeVisible();
  expect(load).toHaveBeenCalledOnce();
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByText('Hello Ada')).toBeVisible();
});

it('shows the next attempt after one that failed', async () => {
  load
    .mockRejectedValueOnce(new TypeError('offline'))
    .mockRejectedValueOnce('still offline')
    .mockResolvedValue(Greeting);
  const Lazy = lazyComponent(load);
  const view = (attempt: number) => (
    <ErrorBoundary what="The greeting" attempt={attempt} fallback={<p>Nobody</p>}>
      <Suspense>
        <Lazy name={`Ada ${attempt}`} />
      </Suspense>
    </ErrorBoundary>
  );
  const { rerender } = render(view(1));
  expect(await screen.findByText('Nobody')).toBeVisible();
  rerender(view(1));
  expect(screen.getByText('Nobody')).toBeVisible();
  rerender(view(2));
  expect(await screen.findByText('Nobody')).toBeVisible();
  expect(load).toHaveBeenCalledTimes(2);
  rerender(view(3));
  expect(await screen.findByText('Hello Ada 3')).toBeVisible();
});
