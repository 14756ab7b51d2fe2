import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { TermsDialog } from '@/features/legal/components/terms-dialog';
import { ada } from '@/testing/fixtures';
import { renderScreen } from '@/testing/render';
import { answer, refuse } from '@/testing/server';

it('shows both texts with their dates and the contact', () => {
  renderScreen(<TermsDialog open />);
  expect(screen.getByText('Effective July 15, 2025')).toBeVisible();
  expect(screen.getByText('Last updated July 18, 2025')).toBeVisible();
  expect(screen.getByText(/at least 13 years old/)).toBeVisible();
  expect(screen.getByText('We typically respond within 24 hours')).toBeVisible();
});

it('cannot be closed by Escape', async () => {
  const { person } = renderScreen(<TermsDialog open />);
  await person.keyboard('{Escape}');
  expect(screen.getByRole('dialog')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Close' })).not.toBeInTheDocument();
});

it('asks for both boxes before it sends anything', async () => {
  const { person } = renderScreen(<TermsDialog open />);
  await person.click(screen.getByLabelText(/accept the Privacy Policy/));
  await person.click(screen.getByRole('button', { name: 'Confirm and Accept' }));
  expect(await screen.findByText('Agreement Required')).toBeVisible();
  expect(
    screen.getByText('Please check both boxes to accept the terms and privacy policy.'),
  ).toBeVisible();
});

it.each([
  ['Terms Accepted', true],
  ['Failed to accept terms. Please try again.', false],
])('says %s', async (sentence, works) => {
  if (works) answer('post', '/api/auth/user/accept-terms', ada);
  else
    refuse('post', '/api/auth/user/accept-terms', { status: 500, code: 'internal', detail: 'No.' });
  const { person } = renderScreen(<TermsDialog open />);
  for (const box of screen.getAllByRole('checkbox')) await person.click(box);
  await person.click(screen.getByRole('button', { name: 'Confirm and Accept' }));
  expect(await screen.findByText(sentence)).toBeVisible();
});
