import { expectSoundAtEveryWidth } from '../account-vocabulary';
import { expect, golden, type App } from '../fixtures';
import { test } from '../outside-service';

/** What may leave the server, and only after a yes. */

const card = ({ page }: App) => page.getByRole('region', { name: 'Second Opinion' });

test('a second opinion is asked for once it is allowed, and the scan says so', async ({
  owner,
  service,
}) => {
  const { page } = owner;
  await owner.scanAndWait(golden('double-exposure').path);
  expect(service.questions).toEqual([]);
  await page.getByText('How it was answered').click();
  await expect(page.getByText('Not allowed in the settings')).toBeVisible();

  await owner.open('/shop/accuracy');
  await expect(card(owner)).toContainText('eye-1 at 127.0.0.1');
  await expect(card(owner)).toContainText('so the photo is sent nowhere else');
  await expectSoundAtEveryWidth(owner);
  await card(owner).getByRole('switch', { name: 'Allow a second opinion' }).click();
  await expect(
    page.getByText('Unsure photos get a second opinion from now on.').first(),
  ).toBeVisible();
  await expect(card(owner).getByRole('switch')).toBeChecked();

  await owner.goTo('Scan');
  await owner.scanAndWait(golden('double-exposure').path);
  expect(service.questions).toHaveLength(1);
  const judge = page.getByRole('region', { name: 'A vision-LLM looked at this photo' });
  await expect(judge).toContainText('A vented edge between two friction faces.');
  await expect(judge).toContainText('45251-TBA-A00');
  await expect(judge).toContainText('A better photo: Photograph the hub from the front.');
  await expect(page.getByText(/with eye-1\. It cost \$0\.0035\./)).toBeVisible();
  await expectSoundAtEveryWidth(owner);

  await owner.open('/shop/accuracy');
  await expect(card(owner).getByRole('meter', { name: 'Today' })).toHaveAttribute(
    'aria-valuetext',
    /^\$0\.0035 of /,
  );
});
