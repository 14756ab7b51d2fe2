import { expect, test, type App } from '../fixtures';

/** The vehicles page: cars, their records, what is due, and files in and out. */

test.use({ settings: { PARTSIGHT_PLAN: 'pro' } });

/** The vehicle of the owner. */
const idOfCivic = async (owner: App) =>
  ((await owner.call('get', '/api/vehicles/default')) as { id: string }).id;

test('a first vehicle, by its VIN', async ({ app }) => {
  const { page } = app;
  await app.signUp();
  await app.open('/vehicle');
  await expect(page.getByText('No vehicles saved').last()).toBeVisible();
  await app.expectSound();
  await page.getByRole('button', { name: 'Add Vehicle' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add Vehicle' });
  await expect(dialog).toMatchAriaSnapshot(`
    - dialog "Add Vehicle":
      - form "Add Vehicle":
        - textbox "VIN"
        - combobox "Make"
        - combobox "Model" [disabled]
        - combobox "Year"
        - combobox "Engine" [disabled]
        - combobox "Transmission"
        - textbox "License plate"
      - button "Cancel"
      - button "Add Vehicle"
  `);
  await dialog.getByRole('button', { name: 'Add Vehicle' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Please fill in make, model, and year.');
  // A refused form moves to its first wrong field by a timer, sooner than a person types but not than a test does.
  // Timers run in the order in which they were set.
  await page.evaluate(() => new Promise((passed) => setTimeout(passed)));
  // One digit is wrong: it is said, and the car can be filled in all the same.
  await dialog.getByRole('textbox', { name: 'VIN' }).fill('1hgcm82633a004353');
  await expect(dialog.getByText(/check digit \(position 9\)/)).toBeVisible();
  await app.expectSound();
  await dialog.getByRole('button', { name: 'Fill in from VIN' }).click();
  await expect(dialog.getByRole('combobox', { name: 'Make' })).toHaveValue('Honda');
  await expect(dialog.getByRole('combobox', { name: 'Year' })).toHaveValue('2003');
  const model = dialog.getByRole('combobox', { name: 'Model' });
  await model.fill('acc');
  await page.keyboard.press('ArrowDown');
  await app.expectSound();
  await page.keyboard.press('Enter');
  await expect(model).toHaveValue('Accord');
  await dialog.getByRole('button', { name: 'Add Vehicle' }).click();
  await expect(page.getByRole('heading', { name: 'Honda Accord' })).toBeVisible();
  // The button that opened the dialog is gone with the empty state.
  await expect(page.getByRole('heading', { name: 'My Vehicles' })).toBeFocused();
});

test('from field to field of a vehicle past the lists of suggestions', async ({ app }) => {
  const { page } = app;
  await app.signUp();
  await app.open('/vehicle');
  await page.getByRole('button', { name: 'Add Vehicle' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add Vehicle' });
  const field = (name: string) => dialog.getByRole('combobox', { name });
  await field('Make').fill('Ho');
  await expect(dialog.getByRole('option', { name: 'Honda', exact: true })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(field('Model')).toBeFocused();
  await expect(dialog.getByRole('listbox')).toHaveCount(0);
  await field('Make').fill('Honda');
  await field('Model').fill('Acc');
  await expect(dialog.getByRole('option', { name: 'Accord', exact: true })).toBeVisible();
  await field('Year').click();
  await expect(field('Year')).toBeFocused();
  await expect(dialog.getByRole('listbox')).toHaveCount(0);
});

test('edit, search, choose and delete vehicles', async ({ owner }) => {
  const { page } = owner;
  for (const [make, model, year] of [
    ['Ford', 'F-150', 2019],
    ['Toyota', 'Camry', 2012],
    ['Subaru', 'Outback', 2018],
  ]) {
    await owner.post('/api/vehicles', { make, model, year });
  }
  // What the page knew of the vehicles is older than these.
  await owner.open('/vehicle');
  await page.getByRole('searchbox', { name: 'Search vehicles' }).fill('ford');
  await expect(page.getByRole('article')).toHaveCount(1);
  await page.getByRole('button', { name: 'Make 2019 Ford F-150 the default vehicle' }).click();
  await expect(page.getByText('Default vehicle changed successfully').first()).toBeVisible();
  await page.getByRole('searchbox', { name: 'Search vehicles' }).fill('');
  await expect(page.getByRole('article').first()).toContainText('F-150');

  const edit = page.getByRole('button', { name: 'Edit 2012 Toyota Camry' });
  await edit.click();
  const dialog = page.getByRole('dialog', { name: 'Edit Vehicle' });
  await dialog.getByRole('combobox', { name: 'Model' }).fill('');
  await dialog.getByRole('button', { name: 'Save Changes' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Please fill in all required fields.');
  await dialog.getByRole('combobox', { name: 'Model' }).fill('Camry');
  await dialog.getByLabel('License plate').fill('7XYZ899');
  await page.route('**/api/vehicles/*', (route) => route.fulfill({ status: 500 }));
  await dialog.getByRole('button', { name: 'Save Changes' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Failed to update vehicle. Please try again.');
  await expect(dialog.getByLabel('License plate')).toHaveValue('7XYZ899');
  await page.unroute('**/api/vehicles/*');
  await dialog.getByRole('button', { name: 'Save Changes' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('7XYZ899')).toBeVisible();
  await expect(edit).toBeFocused();

  await page.getByRole('button', { name: 'Delete 2015 Honda Civic' }).click();
  const question = page.getByRole('alertdialog', { name: 'Delete 2015 Honda Civic?' });
  await expect(question).toContainText('It has no oil changes and no repairs.');
  await owner.expectSound();
  await question.getByRole('button', { name: 'Delete Vehicle' }).click();
  await expect(page.getByText('Vehicle deleted').first()).toBeVisible();
  await expect(page.getByRole('article')).toHaveCount(3);
  await expect(page.getByRole('heading', { name: 'My Vehicles' })).toBeFocused();
});

test('oil changes: log, be warned, edit, delete', async ({ owner }) => {
  const { page } = owner;
  await owner.goTo('Vehicle');
  const panel = page.getByRole('region', { name: 'Oil Change History' });
  await panel.getByRole('button', { name: 'Add Oil Change' }).click();
  const form = panel.getByRole('form', { name: 'Add oil change' });
  await form.getByRole('button', { name: 'Save Oil Change' }).click();
  await expect(form.getByRole('alert')).toContainText('Missing information');
  await form.getByLabel('Mileage').fill('1000000');
  await form.getByRole('button', { name: 'Save Oil Change' }).click();
  await expect(form.getByRole('alert')).toContainText(
    'Please enter a mileage under 999,999 miles.',
  );
  await owner.expectSound();
  await form.getByLabel('Mileage').fill('52,000');
  await form.getByLabel('Oil type').fill('0W-20');
  await form.getByLabel('Cost in dollars').fill('49.99');
  await form.getByRole('button', { name: 'Save Oil Change' }).click();
  await expect(page.getByText('Oil change recorded!').first()).toBeVisible();
  await expect(panel.getByRole('button', { name: 'Add Oil Change' })).toBeFocused();
  const next = panel.getByRole('region', { name: 'Next Oil Change Recommendations' });
  await expect(next).toContainText('or in 5,000 miles');
  await expect(next).toContainText('Last: 52,000 miles');

  await panel.getByRole('button', { name: 'Add Oil Change' }).click();
  await form.getByLabel('Mileage').fill('51000');
  await form.getByLabel('Date').fill('2026-01-02');
  await form.getByRole('button', { name: 'Save Oil Change' }).click();
  await expect(panel.getByText('51,000 miles', { exact: true })).toBeVisible();

  await panel.getByRole('button', { name: /^Edit oil change of Jan 02, 2026/ }).click();
  const edit = panel.getByRole('form', { name: 'Edit oil change' });
  await edit.getByLabel('Mileage').fill('99000');
  await edit.getByRole('button', { name: 'Save Changes' }).click();
  await expect(panel.getByText('Saved, but please check it')).toBeVisible();
  await owner.expectSound();
  await panel.getByRole('button', { name: /^Delete oil change of Jan 02, 2026/ }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('The oil change record has been removed.').first()).toBeVisible();
  await expect(panel.getByRole('list', { name: 'Oil changes' }).getByRole('listitem')).toHaveCount(
    1,
  );
});

test('what was paid and driven is drawn, and told as figures', async ({ owner }) => {
  const { page } = owner;
  const vehicleId = await idOfCivic(owner);
  const log = (path: string, data: object) => owner.post(`/api/${path}`, { vehicleId, ...data });
  await log('oil-changes', { mileage: 52_000, changeDate: '2023-04-02', cost: 49.99 });
  await log('oil-changes', { mileage: 58_000, changeDate: '2024-04-02', cost: 55 });
  await log('repair-history', {
    partReplaced: 'Alternator',
    mileage: 60_500,
    repairDate: '2024-09-30',
    cost: 349.5,
  });
  await owner.goTo('Vehicle');
  const card = page.getByRole('region', { name: 'Costs and Mileage' });
  await expect(
    card.getByRole('img', { name: /^\$454\.49 spent from 2023 until 20/ }),
  ).toBeVisible();
  await expect(card.getByRole('img', { name: /^From 52,000 miles on Apr 02, 2023/ })).toBeVisible();
  await expect(card.getByRole('img').locator('> div > svg')).toHaveCount(2);
  await owner.expectSound();
  // The drawings hold no focus; their figures open by keyboard.
  const figures = card.getByText('Figures of Money spent each year');
  await figures.focus();
  await page.keyboard.press('Enter');
  await expect(card.getByRole('region', { name: /Money spent each year/ })).toMatchAriaSnapshot(`
    - table:
      - rowgroup:
        - row "Year Oil changes Repairs Total"
      - rowgroup:
        - row "2024 $55.00 $349.50 $404.50"
        - row "2023 $49.99 $0.00 $49.99"
  `);
  await owner.expectSound();
  await page.setViewportSize({ width: 320, height: 700 });
  await owner.expectNoOverflow();
});

test('maintenance, alerts and the calendar link', async ({ owner }) => {
  const { page } = owner;
  const vehicleId = await idOfCivic(owner);
  await owner.post('/api/oil-changes', { vehicleId, mileage: 50_000, changeDate: '2024-01-02' });
  await owner.open('/');
  await page.getByRole('button', { name: 'Maintenance alerts, 1' }).click();
  const alerts = page.getByRole('dialog', { name: 'Maintenance Alerts' });
  await expect(alerts.getByRole('listitem')).toContainText('2015 Honda Civic');
  await owner.expectSound();
  await alerts.getByRole('link', { name: /^Overdue: / }).click();
  const panel = page.getByRole('region', { name: 'Maintenance', exact: true });
  await expect(panel.getByRole('heading', { name: 'Maintenance' })).toBeInViewport();
  await expect(panel.getByRole('list', { name: 'Due' })).toContainText('Overdue');
  await owner.expectSound();

  await panel.getByRole('button', { name: 'Update Mileage' }).click();
  const odometer = page.getByRole('dialog', { name: 'Update Mileage' });
  await odometer.getByRole('textbox', { name: 'Mileage' }).fill('58000');
  await odometer.getByRole('button', { name: 'Save Mileage' }).click();
  await expect(panel).toContainText('58,000 miles on');

  await panel.getByRole('button', { name: 'More for Oil change' }).click();
  await page.getByRole('menuitem', { name: 'Snooze' }).click();
  const snooze = page.getByRole('dialog', { name: 'Snooze Oil change' });
  await snooze.getByRole('button', { name: '1 month' }).click();
  await owner.expectSound();
  await snooze.getByRole('button', { name: 'Snooze' }).click();
  await expect(panel.getByText('Snoozed')).toBeVisible();
  await expect(panel.getByRole('button', { name: 'More for Oil change' })).toBeFocused();
  await expect(page.getByRole('button', { name: 'Maintenance alerts', exact: true })).toBeVisible();

  await panel.getByRole('button', { name: 'Done: Oil change' }).click();
  const done = page.getByRole('dialog', { name: 'Done: Oil change' });
  await done.getByLabel('Mileage').fill('58000');
  await done.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Oil change logged').first()).toBeVisible();

  await panel.getByRole('button', { name: 'Add Reminder' }).click();
  const reminder = page.getByRole('dialog', { name: 'Add Reminder' });
  await reminder.getByLabel('What is to be done').fill('Wheel alignment');
  await reminder.getByLabel('Every months').fill('12');
  await reminder.getByLabel('Last done on').fill('2026-01-02');
  await reminder.getByRole('button', { name: 'Add Reminder' }).click();
  await expect(panel).toContainText('Wheel alignment');
  await panel.getByRole('button', { name: 'More for Wheel alignment' }).click();
  await page.getByRole('menuitem', { name: 'Remove reminder' }).click();
  const question = page.getByRole('alertdialog', { name: 'Remove Wheel alignment?' });
  await owner.expectSound();
  await question.getByRole('button', { name: 'Remove Reminder' }).click();
  await expect(panel.getByText('Wheel alignment')).toBeHidden();

  const calendar = page.getByRole('region', { name: 'Calendar' });
  await calendar.getByRole('button', { name: 'Make Calendar Link' }).click();
  const link = await calendar.getByLabel('Calendar link').inputValue();
  expect((await page.request.get(link)).ok()).toBe(true);
  await owner.expectSound();
  await calendar.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke Link' }).click();
  await expect(calendar.getByRole('button', { name: 'Make Calendar Link' })).toBeVisible();
  expect((await page.request.get(link)).status()).toBe(404);
});

test('records come in from a file and go out as one', async ({ owner }) => {
  const { page } = owner;
  await owner.goTo('Vehicle');
  await page.getByRole('button', { name: 'Import a File' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import a File' });
  const choose = (text: string) =>
    dialog.getByLabel(/CSV file|oil\.csv/).setInputFiles({
      name: 'oil.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(text),
    });
  await choose('date,mileage,oil_type,cost\r\n2025-03-05,many,0W-20,49.99\r\n');
  await expect(dialog.getByText('Nothing can be imported yet')).toBeVisible();
  await expect(dialog.getByRole('row', { name: /^2 Error/ })).toBeVisible();
  await owner.expectSound();
  await choose('date,mileage,oil_type,cost\r\n2025-03-05,52000,0W-20,49.99\r\n');
  await dialog.getByRole('button', { name: 'Import 1 Row' }).click();
  await expect(page.getByText('Import finished').first()).toBeVisible();
  await expect(
    page.getByRole('main').getByText('52,000 miles', { exact: true }).first(),
  ).toBeVisible();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export Oil changes' }).click();
  expect((await download).suggestedFilename()).toBe('partsight-oil-changes.csv');
});
