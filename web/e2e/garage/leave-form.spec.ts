import { expect, test, type App } from '../fixtures';

/** Leaving a form with something typed: it is asked first, and nothing is lost by mistake. */

const question = ({ page }: App) =>
  page.getByRole('alertdialog', { name: 'Leave without saving?' });
const keep = (app: App) => question(app).getByRole('button', { name: 'Keep Editing' });
const leave = (app: App) => question(app).getByRole('button', { name: 'Leave', exact: true });

test('a repair that is half typed is not lost by a tap on the navigation', async ({ owner }) => {
  const { page } = owner;
  await owner.goTo('Vehicle');
  const panel = page.getByRole('region', { name: 'Repair History' });
  await panel.getByRole('button', { name: 'Add Repair' }).click();
  const part = panel.getByLabel('Part replaced');
  await part.fill('Alternator');

  await panel.getByRole('button', { name: 'Add Repair' }).click();
  await keep(owner).click();
  await expect(part).toHaveValue('Alternator');

  await owner.tab('History').click();
  await expect(question(owner)).toContainText('What is not saved or sent yet will be lost.');
  await expect(keep(owner)).toBeFocused();
  await owner.expectSound();
  await keep(owner).click();
  await expect(question(owner)).toBeHidden();
  await expect(page).toHaveURL(/\/vehicle$/);
  await expect(part).toHaveValue('Alternator');

  // The browser asks in words of its own before it loads the page anew.
  const asked = page.waitForEvent('dialog').then(async (dialog) => {
    await dialog.dismiss();
    return dialog.type();
  });
  await page.evaluate(() => window.location.reload());
  expect(await asked).toBe('beforeunload');
  await expect(part).toHaveValue('Alternator');

  await owner.tab('History').click();
  await leave(owner).click();
  await expect(page.getByRole('heading', { level: 1, name: 'History' })).toBeVisible();
  await expect(page).toHaveURL(/\/history$/);

  // Cancel is an answer by itself.
  await owner.goTo('Vehicle');
  await panel.getByRole('button', { name: 'Add Repair' }).click();
  await part.fill('Alternator');
  await panel.getByRole('button', { name: 'Cancel' }).click();
  await owner.goTo('History');
});

test('a vehicle that is half typed is not lost by the way back, Escape or a tap beside it', async ({
  owner,
}) => {
  const { page } = owner;
  await owner.goTo('Vehicle');
  const edit = page.getByRole('button', { name: 'Edit 2015 Honda Civic' });
  await edit.click();
  const dialog = page.getByRole('dialog', { name: 'Edit Vehicle' });
  const plate = dialog.getByLabel('License plate');
  await plate.fill('7XYZ899');

  await page.evaluate(() => window.history.back());
  await expect(keep(owner)).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(question(owner)).toBeHidden();
  await expect(page).toHaveURL(/\/vehicle$/);
  await expect(plate).toBeFocused();

  await page.keyboard.press('Escape');
  await keep(owner).click();
  await expect(question(owner)).toBeHidden();
  await expect(plate).toBeFocused();
  await expect(plate).toHaveValue('7XYZ899');

  await page.mouse.click(5, 5);
  await expect(keep(owner)).toBeFocused();
  await keep(owner).click();
  await expect(plate).toBeFocused();
  await expect(plate).toHaveValue('7XYZ899');

  await dialog.getByRole('button', { name: 'Save Changes' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('7XYZ899')).toBeVisible();
  await owner.goTo('History');

  await owner.goTo('Vehicle');
  await edit.click();
  await plate.fill('8ABC123');
  await page.keyboard.press('Escape');
  await leave(owner).click();
  await expect(dialog).toBeHidden();
  await expect(edit).toBeFocused();
  await edit.click();
  await expect(plate).toHaveValue('7XYZ899');
  await plate.fill('8ABC123');
  await page.evaluate(() => window.history.back());
  await leave(owner).click();
  await expect(page.getByRole('heading', { level: 1, name: 'History' })).toBeVisible();
});
