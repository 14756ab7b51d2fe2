import { act, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { createMemoryRouter, Link, Outlet, RouterProvider } from 'react-router';
import { expect, it } from 'vitest';
import { ScreenChange } from '@/app/shell/screen-change';

function Profile() {
  return (
    <>
      <title>Partsight - Account</title>
      <Link to="/contact">Contact Support</Link>
      <Link to="?tab=plan">Plan</Link>
    </>
  );
}

/** A screen without a title until what it shows has come. */
function Contact() {
  const [isLoaded, setIsLoaded] = useState(false);
  return (
    <>
      {isLoaded && <title>Partsight - Contact Support</title>}
      <button onClick={() => setIsLoaded(true)}>Load</button>
    </>
  );
}

function open() {
  document.title = 'Partsight';
  const element = (
    <>
      <Link to="/contact">Contact below</Link>
      <main tabIndex={-1}>
        <Outlet />
      </main>
      <ScreenChange />
    </>
  );
  const children = [
    { path: '/profile', element: <Profile /> },
    { path: '/contact', element: <Contact /> },
  ];
  const router = createMemoryRouter([{ element, children }], { initialEntries: ['/profile'] });
  const { container } = render(<RouterProvider router={router} />);
  return { router, person: userEvent.setup(), said: container.querySelector('[aria-live]') };
}

const link = (name: string) => screen.getByRole('link', { name });

it('says the title of the next screen once it has one, also after Back', async () => {
  const { router, person, said } = open();
  await person.click(link('Contact Support'));
  expect(said).toHaveTextContent(/^$/);
  await person.click(screen.getByRole('button', { name: 'Load' }));
  await waitFor(() => expect(said).toHaveTextContent('Partsight - Contact Support'));
  await act(() => router.navigate(-1));
  await waitFor(() => expect(said).toHaveTextContent('Partsight - Account'));
});

it('gives the focus to the next screen where the one before took it along', async () => {
  const { router, person } = open();
  await person.click(link('Contact Support'));
  expect(screen.getByRole('main')).toHaveFocus();
  screen.getByRole('button', { name: 'Load' }).focus();
  await act(() => router.navigate(-1));
  expect(screen.getByRole('main')).toHaveFocus();
});

it('leaves the focus where it is still on something', async () => {
  const { person } = open();
  await person.click(link('Contact below'));
  expect(screen.getByRole('button', { name: 'Load' })).toBeVisible();
  expect(link('Contact below')).toHaveFocus();
});

it('says nothing of a change of the query', async () => {
  const { router, person, said } = open();
  await person.click(link('Plan'));
  expect(router.state.location.search).toBe('?tab=plan');
  expect(link('Plan')).toHaveFocus();
  expect(said).toHaveTextContent(/^$/);
});
