import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { userEvent, type UserEvent } from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { createMemoryRouter, Route, RouterProvider, Routes } from 'react-router';
import { expect } from 'vitest';
import { createQueryClient } from '@/api/query-client';
import { ToastProvider } from '@/components/ui/toast';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';

/** Renders `element` with what every screen has around it, and a person to use it. */
export function renderScreen(element: ReactNode, at = '/') {
  const queryClient = createQueryClient();
  const router = createMemoryRouter([{ path: '*', element }], { initialEntries: [at] });
  const view = render(
    <QueryClientProvider client={queryClient}>
      <ToastProvider>
        <RouterProvider router={router} />
      </ToastProvider>
    </QueryClientProvider>,
  );
  return { ...view, queryClient, router, person: userEvent.setup() };
}

/** As `renderScreen`, with a way to leave the screen, as the browser's own button does. */
export function renderLeavable(element: ReactNode) {
  const rendered = renderScreen(
    <Routes>
      <Route index element={element} />
      <Route path="*" element={null} />
    </Routes>,
  );
  return { ...rendered, leave: () => act(() => rendered.router.navigate('/elsewhere')) };
}

/** Reads all that is on screen anew, as a tab does that is shown again. */
export async function readAnew(queryClient: QueryClient): Promise<void> {
  void queryClient.refetchQueries();
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
}

/** Where the link of this name leads. */
export function hrefOf(name: string | RegExp): string | null {
  return screen.getByRole('link', { name }).getAttribute('href');
}

/** Types `text` into an empty field, with no pause from key to key however busy this machine is. */
export function typeAtOnce(field: HTMLElement, text: string): void {
  for (const end of Array.from(text).keys()) {
    fireEvent.change(field, { target: { value: text.slice(0, end + 1) } });
  }
}

/** Closes a dialog with Escape; one that an answer opened hears keys only some updates after it is drawn. */
export async function escape(dialog: HTMLElement): Promise<void> {
  await waitFor(() => {
    fireEvent.keyDown(dialog, { key: 'Escape' });
    expect(dialog).not.toBeInTheDocument();
  });
}

/** Answers the question on screen with a press of `name`. */
export async function confirm(person: UserEvent, name: string): Promise<void> {
  await person.click(within(screen.getByRole('alertdialog')).getByRole('button', { name }));
}
