import { expectToast, fail } from '../failures';
import { expect, test, type App } from '../fixtures';

/** What is said when an oil change or a repair cannot be saved or deleted, and what is kept. */

/** Deletes the only record of a kind, as another tab would. */
async function deleteElsewhere(app: App, path: string) {
  const records = (await app.call('get', path)) as { id: string }[];
  expect(records).toHaveLength(1);
  await app.call('delete', `${path}/${records[0]?.id ?? ''}`);
}

test('an oil change that cannot be saved is kept, and one that cannot be deleted stays', async ({
  owner,
}) => {
  const { page } = owner;
  await owner.goTo('Vehicle');
  const panel = page.getByRole('region', { name: 'Oil Change History' });
  await panel.getByRole('button', { name: 'Add Oil Change' }).click();
  const form = panel.getByRole('form', { name: 'Add oil change' });
  const save = form.getByRole('button', { name: 'Save Oil Change' });
  const alert = form.getByRole('alert');
  await form.getByLabel('Mileage').fill('52,000');
  await form.getByLabel('Notes').fill('Drain plug is worn.');

  const mendSave = await fail(owner, 'POST', '**/api/oil-changes');
  await save.click();
  await expectToast(owner, 'Failed to record oil change', 'Please try again.');
  await expect(alert.getByText('Failed to record oil change', { exact: true })).toBeVisible();
  await expect(alert.getByText('Please try again.', { exact: true })).toBeVisible();
  await owner.expectSound();
  await mendSave();

  // The server refuses a date of its own accord, and says why.
  await form.getByLabel('Date').fill('2030-01-01');
  await save.click();
  const refusal = 'Please enter a date that is at most a year ahead.';
  await expectToast(owner, 'Failed to record oil change', refusal);
  await expect(alert.getByText(refusal, { exact: true })).toBeVisible();
  await expect(form.getByLabel('Mileage')).toHaveValue('52,000');
  await expect(form.getByLabel('Notes')).toHaveValue('Drain plug is worn.');
  await form.getByLabel('Date').fill('2026-01-02');
  await save.click();
  await expectToast(owner, 'Oil change recorded!', 'Your oil change has been successfully logged.');
  const rows = panel.getByRole('list', { name: 'Oil changes' }).getByRole('listitem');
  await expect(rows).toHaveText(/52,000 miles/);

  const remove = async () => {
    await rows.getByRole('button', { name: /^Delete oil change of Jan 02, 2026/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  };
  const mendDelete = await fail(owner, 'DELETE', '**/api/oil-changes/*');
  await remove();
  await expectToast(owner, 'Failed to delete oil change', 'Please try again.');
  await expect(rows).toHaveCount(1);
  await mendDelete();
  await remove();
  await expectToast(owner, 'Oil change deleted', 'The oil change record has been removed.');
  await expect(rows).toHaveCount(0);
});

test('a repair that cannot be saved is kept, and one that cannot be deleted stays', async ({
  owner,
}) => {
  const { page } = owner;
  await owner.goTo('Vehicle');
  const panel = page.getByRole('region', { name: 'Repair History' });
  await panel.getByRole('button', { name: 'Add Repair' }).click();
  const form = panel.getByRole('form', { name: 'Add repair' });
  await form.getByRole('button', { name: 'Save Repair' }).click();
  await expect(form.getByRole('alert')).toContainText('Please fill in all required fields');
  await form.getByLabel('Part replaced').fill('Alternator');
  await form.getByLabel('Cost in dollars').fill('349.50');
  await form.getByLabel('Mileage').fill('48210');
  await form.getByLabel('Date').fill('2025-03-05');

  const mendSave = await fail(owner, 'POST', '**/api/repair-history');
  await form.getByRole('button', { name: 'Save Repair' }).click();
  await expectToast(owner, 'Error', 'Failed to add repair');
  await expect(form.getByRole('alert')).toHaveText('Failed to add repair');
  await owner.expectSound();
  await expect(form.getByLabel('Part replaced')).toHaveValue('Alternator');
  await expect(form.getByLabel('Mileage')).toHaveValue('48210');
  await expect(form.getByLabel('Date')).toHaveValue('2025-03-05');
  await mendSave();
  await form.getByRole('button', { name: 'Save Repair' }).click();
  await expectToast(owner, 'Repair added', 'Alternator, 2015 Honda Civic');
  await expect(panel).toMatchAriaSnapshot(`
    - region "Repair History":
      - heading "Repair History" [level=2]
      - button "Add Repair"
      - region "2015 Honda Civic":
        - heading "2015 Honda Civic" [level=3]
        - list:
          - listitem:
            - paragraph: Alternator
            - paragraph: 48,210 miles Mar 05, 2025 $349.50
            - button "Edit Alternator of Mar 05, 2025"
            - button "Delete Alternator of Mar 05, 2025"
  `);

  const bin = panel.getByRole('button', { name: 'Delete Alternator of Mar 05, 2025' });
  const remove = async () => {
    await bin.click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  };
  const mendDelete = await fail(owner, 'DELETE', '**/api/repair-history/*');
  await remove();
  await expectToast(owner, 'Error', 'Failed to delete repair');
  await expect(bin).toBeVisible();
  await mendDelete();

  // Deleted in another tab: here the server says so, itself.
  await deleteElsewhere(owner, '/api/repair-history');
  await remove();
  await expectToast(owner, 'Error', 'This repair does not exist. It may have been deleted.');
});
