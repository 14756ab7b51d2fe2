import { fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { createMemoryRouter, Link, RouterProvider } from 'react-router';
import { expect, it } from 'vitest';
import { useBackStep } from '@/hooks/use-back-step';

function Answer() {
  useBackStep(() => undefined);
  return <p>The answer</p>;
}

function Home() {
  const [isAnswered, setIsAnswered] = useState(false);
  return (
    <>
      <Link to="/profile">Profile</Link>
      <button onClick={() => setIsAnswered(true)}>Answer</button>
      {isAnswered && <Answer />}
    </>
  );
}

it('does not take the place of a screen whose code is still being loaded', async () => {
  let load: (screen: { Component: () => React.ReactNode }) => void = () => undefined;
  const lazy = () => new Promise<Parameters<typeof load>[0]>((resolve) => (load = resolve));
  const router = createMemoryRouter([
    { path: '/', Component: Home },
    { path: '/profile', lazy },
  ]);
  render(<RouterProvider router={router} />);
  fireEvent.click(screen.getByRole('link', { name: 'Profile' }));
  fireEvent.click(screen.getByRole('button', { name: 'Answer' }));
  expect(screen.getByText('The answer')).toBeVisible();
  load({ Component: () => <h1>Who you are</h1> });
  expect(await screen.findByRole('heading', { name: 'Who you are' })).toBeVisible();
});
