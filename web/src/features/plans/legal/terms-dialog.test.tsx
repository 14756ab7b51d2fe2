import { fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { TermsDialog } from '@/features/plans/legal/components/terms-dialog';
import { hrefOf, renderScreen } from '@/testing/render';
import { answer, refuse, settings } from '@/testing/server';

const confirmButton = () => screen.getByRole('button', { name: 'Confirm and Accept' });

it('shows both texts with their dates, the company and the contact', async () => {
  renderScreen(<TermsDialog open />);
  expect(await screen.findByText('Effective July 15, 2025')).toBeVisible();
  expect(screen.getAllByText(new RegExp(settings.legalEntity)).length).toBeGreaterThan(1);
  expect(hrefOf(settings.supportEmail)).toBe(`mailto:${settings.supportEmail}`);
  expect(screen.getByText('Last updated July 18, 2025')).toBeVisible();
  expect(screen.getByText(/at least 13 years old/)).toBeVisible();
  expect(screen.getByText('We typically respond within 24 hours')).toBeVisible();
});

it('shows no text and takes no agreement until it knows whose text it is', async () => {
  refuse('get', '/api/settings', { status: 503, detail: 'The server is busy.' });
  const { person } = renderScreen(<TermsDialog open />);
  expect(confirmButton()).toBeDisabled();
  expect(await screen.findByText('The texts could not be loaded')).toBeVisible();
  expect(confirmButton()).toBeDisabled();
  answer('get', '/api/settings', settings);
  await person.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByText('Effective July 15, 2025')).toBeVisible();
  expect(confirmButton()).toBeEnabled();
});

it('cannot be closed by Escape', async () => {
  const { person } = renderScreen(<TermsDialog open />);
  await person.keyboard('{Escape}');
  expect(screen.getByRole('dialog')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Close' })).not.toBeInTheDocument();
});

it('asks for both boxes before it sends anything', async () => {
  const { person } = renderScreen(<TermsDialog open />);
  await screen.findByText('Effective July 15, 2025');
  await person.click(screen.getByLabelText(/accept the Privacy Policy/));
  await person.click(confirmButton());
  expect(await screen.findByText('Agreement Required')).toBeVisible();
  expect(
    screen.getByText('Please check both boxes to accept the terms and privacy policy.'),
  ).toBeVisible();
});

it('gives the focus to the screen that it stood in front of', async () => {
  const { person } = renderScreen(<Gate />);
  await screen.findByText('Effective July 15, 2025');
  await person.click(screen.getByLabelText(/accept the Privacy Policy/));
  fireEvent.click(screen.getByText('Accepted'));
  await waitFor(() => expect(screen.getByRole('main')).toHaveFocus());
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

function Gate() {
  const [open, setOpen] = useState(true);
  return (
    <>
      <main id="main" tabIndex={-1}>
        <button onClick={() => setOpen(false)}>Accepted</button>
      </main>
      {open && <TermsDialog open />}
    </>
  );
}
