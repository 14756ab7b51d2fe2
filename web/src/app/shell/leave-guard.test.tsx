import { act, render, screen, waitFor } from '@testing-library/react';
import { userEvent, type UserEvent } from '@testing-library/user-event';
import { useState } from 'react';
import { createMemoryRouter, Link, Outlet, RouterProvider } from 'react-router';
import { expect, it } from 'vitest';
import { LeaveGuard } from '@/app/shell/leave-guard';
import { useLeaveGuard } from '@/hooks/use-leave-guard';
import { STEP } from '@/hooks/use-stale-step';
import { letLeave } from '@/lib/leave-guard';
import { confirm, escape } from '@/testing/render';

/** A form that is dirty until it is saved. */
function Form() {
  const [text, setText] = useState('');
  const [saved, setSaved] = useState('');
  useLeaveGuard(text !== saved);
  return (
    <>
      <input aria-label="Notes" value={text} onChange={({ target }) => setText(target.value)} />
      <button onClick={() => setSaved(text)}>Save</button>
    </>
  );
}

function open() {
  const element = (
    <>
      <Link to="/history">History</Link>
      <Link to="?tab=oil">Oil</Link>
      <Outlet />
      <LeaveGuard />
    </>
  );
  const children = [
    { path: '/', element: <p>Home screen</p> },
    { path: '/vehicle', element: <Form /> },
    { path: '/history', element: <p>History screen</p> },
  ];
  const router = createMemoryRouter([{ element, children }], {
    initialEntries: ['/', '/vehicle'],
  });
  render(<RouterProvider router={router} />);
  return { router, person: userEvent.setup() };
}

const link = (name: string) => screen.getByRole('link', { name });
const notes = () => screen.getByLabelText('Notes');
const question = () => screen.queryByRole('alertdialog', { name: 'Leave without saving?' });

/** Answers the question that is about to come. */
async function answer(person: UserEvent, name: string) {
  await screen.findByRole('alertdialog');
  await confirm(person, name);
}

/** Whether the browser would ask before it loads the page anew. */
function asksBeforeUnload(): boolean {
  const event = new Event('beforeunload', { cancelable: true });
  window.dispatchEvent(event);
  return event.defaultPrevented;
}

it('asks before what was typed is left, and does as it is told', async () => {
  const { person } = open();
  await person.type(notes(), 'Drain plug is worn.');
  await person.click(link('History'));
  expect(question()).toHaveAccessibleDescription('What is not saved or sent yet will be lost.');
  expect(screen.getByRole('button', { name: 'Keep Editing' })).toHaveFocus();
  await confirm(person, 'Keep Editing');
  expect(question()).not.toBeInTheDocument();
  expect(notes()).toHaveValue('Drain plug is worn.');
  await waitFor(() => expect(link('History')).toHaveFocus());
  await person.click(link('History'));
  await confirm(person, 'Leave');
  expect(await screen.findByText('History screen')).toBeVisible();
  expect(question()).not.toBeInTheDocument();
});

it('asks on the way back, and Escape keeps editing', async () => {
  const { router, person } = open();
  await person.type(notes(), 'Drain');
  void router.navigate(-1);
  await escape(await screen.findByRole('alertdialog'));
  expect(question()).not.toBeInTheDocument();
  expect(router.state.location.pathname).toBe('/vehicle');
  await waitFor(() => expect(notes()).toHaveFocus());
  await person.keyboard(' plug');
  expect(notes()).toHaveValue('Drain plug');
  void router.navigate(-1);
  await answer(person, 'Leave');
  expect(await screen.findByText('Home screen')).toBeVisible();
});

it('asks nothing while nothing is typed, or while the screen stays', async () => {
  const { router, person } = open();
  expect(asksBeforeUnload()).toBe(false);
  await person.type(notes(), 'Drain');
  await person.click(link('Oil'));
  expect(router.state.location.search).toBe('?tab=oil');
  await person.clear(notes());
  await person.click(link('History'));
  expect(screen.getByText('History screen')).toBeVisible();
});

it('asks before what is open on top of the screen closes, or another takes its place', async () => {
  const { router, person } = open();
  await person.type(notes(), 'Drain');
  await act(() => router.navigate('/vehicle?scan=scan-1'));
  expect(question()).not.toBeInTheDocument();
  for (const to of ['/vehicle', '/vehicle?scan=scan-2']) {
    void router.navigate(to);
    await answer(person, 'Keep Editing');
    expect(router.state.location.search).toBe('?scan=scan-1');
  }
  await act(() => router.navigate('/vehicle?scan=scan-1&q=rotor', { replace: true }));
  expect(question()).not.toBeInTheDocument();
  void router.navigate(-1);
  await answer(person, 'Leave');
  await waitFor(() => expect(router.state.location.search).toBe(''));
});

it('asks before the way back closes what has a step of its own', async () => {
  const { router, person } = open();
  await person.type(notes(), 'Drain');
  await act(() => router.navigate('/vehicle', { state: STEP }));
  expect(question()).not.toBeInTheDocument();
  void router.navigate(-1);
  await answer(person, 'Keep Editing');
  expect(router.state.location.state).toEqual(STEP);
  void router.navigate(-1);
  await answer(person, 'Leave');
  await waitFor(() => expect(router.state.location.state).toBeNull());
  expect(router.state.location.pathname).toBe('/vehicle');
});

it('asks nothing after saving', async () => {
  const { person } = open();
  await person.type(notes(), 'Drain');
  expect(asksBeforeUnload()).toBe(true);
  await person.click(screen.getByRole('button', { name: 'Save' }));
  expect(asksBeforeUnload()).toBe(false);
  await person.click(link('History'));
  expect(screen.getByText('History screen')).toBeVisible();
});

it('asks nothing where a session ended or somebody signs out', async () => {
  const { person } = open();
  await person.type(notes(), 'Drain');
  letLeave();
  expect(asksBeforeUnload()).toBe(false);
  await person.click(link('History'));
  expect(screen.getByText('History screen')).toBeVisible();
});
