import AxeBuilder from '@axe-core/playwright';
import { test as base, expect, type Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startServer, type Server } from './server';

/**
 * The vocabulary of the journeys. `app` is a page on a server of its own; `owner` is the same page
 * with a signed-in person who has accepted the terms and has a 2015 Honda Civic. `settings` are
 * environment variables of the server.
 */
type Fixtures = { settings: Record<string, string>; server: Server; app: App; owner: App };

const GOLDEN = resolve(import.meta.dirname, '../../models/partsight-50/golden');

/** A drawing that ships with the model, and the label that the model gives it. */
export function golden(name: 'brake-rotor' | 'coil-spring' | 'double-exposure' | 'rim' | 'meadow') {
  const { label } = JSON.parse(readFileSync(`${GOLDEN}/${name}.json`, 'utf8')) as { label: string };
  return { path: `${GOLDEN}/${name}.png`, label };
}

/** The drawing as an address that a page can show by itself. */
export const addressOf = (path: string) => `data:image/png;base64,${readFileSync(path, 'base64')}`;

/** Where to put a picture of each screen that a journey finds sound, to look at them all. */
const PICTURES = process.env.PARTSIGHT_PICTURES;

export class App {
  private looks = 0;

  constructor(
    readonly page: Page,
    readonly server: Server,
  ) {}

  open(path: string) {
    return this.page.goto(this.server.url + path);
  }

  /** What the server answers to the person of this page: for what a test needs, and is not about. */
  async call(method: 'get' | 'post' | 'put' | 'delete', path: string, data?: object) {
    const response = await this.page.request[method](this.server.url + path, { data });
    const text = await response.text();
    expect(response.ok(), `${path}: ${text}`).toBe(true);
    return (text === '' ? null : JSON.parse(text)) as unknown;
  }

  /** Makes something by a call. */
  async post(path: string, data?: object) {
    return (await this.call('post', path, data)) as { id: string };
  }

  /** Makes an account that has accepted the terms and has no vehicle. */
  async signUp(person: object = ADA) {
    await this.post('/api/auth/signup', person);
    await this.post('/api/auth/user/accept-terms');
  }

  async prepareOwner() {
    await this.signUp();
    await this.post('/api/vehicles', { make: 'Honda', model: 'Civic', year: 2015 });
  }

  async addDefaultVehicle(vehicle: object) {
    const { id } = await this.post('/api/vehicles', vehicle);
    await this.call('put', `/api/vehicles/${id}/default`);
    return id;
  }

  /** A default vehicle with a name that is longer than a phone is wide. */
  async addLongVehicle() {
    const model = 'Sprinter 3500 Extended High Roof Cargo Van';
    await this.addDefaultVehicle({ make: 'Mercedes-Benz', model, year: 2019 });
  }

  /** Fills in the sign-in form that is on screen. */
  async signIn(password = ADA.password) {
    await this.page.getByLabel('E-mail').fill(ADA.email);
    await this.page.getByLabel('Password').fill(password);
    await this.page.getByRole('button', { name: 'Sign In', exact: true }).click();
  }

  /** A photograph of this size that a page with this body shows. */
  async photograph(width: number, height: number, body: string): Promise<string> {
    const path = test.info().outputPath('photograph.png');
    const board = await this.page.context().newPage();
    await board.setViewportSize({ width, height });
    await board.setContent(body);
    await board.screenshot({ path });
    await board.close();
    return path;
  }

  async scan(...photoPaths: string[]) {
    await this.page.getByLabel('Photo of the part').setInputFiles(photoPaths);
  }

  async scanAndWait(photoPath: string) {
    await this.scan(photoPath);
    await expect(this.page.getByRole('heading', { name: 'Scan Results' })).toBeVisible();
  }

  /** Opens a screen by the bottom navigation. Its code is loaded first: wait until it stands. */
  async goTo(name: keyof typeof TITLES) {
    await this.tab(name).click();
    await expect(this.page.getByRole('heading', { level: 1, name: TITLES[name] })).toBeVisible();
  }

  tab(name: keyof typeof TITLES) {
    return this.page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name, exact: true });
  }

  /** No accessibility fault, and nothing wider than the window. */
  async expectSound() {
    // The other mode opens a page of its own for each look, to keep frames of other origins apart: there are none.
    const { violations } = await new AxeBuilder({ page: this.page }).setLegacyMode().analyze();
    expect(
      violations.map(({ id, nodes }) => ({ id, where: nodes.map((node) => node.html) })),
    ).toEqual([]);
    await this.expectNoOverflow();
    if (PICTURES) await this.takePicture(PICTURES);
  }

  /** Nothing is wider than the window. */
  async expectNoOverflow() {
    const overflow = () =>
      this.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    // A script may have to follow a window that was just made narrower.
    await expect.poll(overflow, 'pixels wider than the window').toBeLessThanOrEqual(0);
  }

  /** The whole page as it is now, named after the journey, the number of the look and the width. */
  private async takePicture(folder: string) {
    this.looks += 1;
    const width = this.page.viewportSize()?.width ?? 0;
    const journey = test
      .info()
      .titlePath.join(' ')
      .replaceAll(/[^A-Za-z0-9]+/g, '-');
    const name = `${journey}-${String(this.looks).padStart(2, '0')}-${width}.png`;
    await this.page.screenshot({
      path: join(folder, name),
      fullPage: true,
      animations: 'disabled',
    });
  }
}

/** What the signed-in owner's screens are headed. */
const TITLES = {
  Scan: 'Scan',
  Vehicle: 'My Vehicles',
  History: 'History',
  Pricing: 'Pricing',
  Profile: 'Ada Byron',
} as const;

export const ADA = {
  email: 'ada@example.org',
  password: 'amber-kite-1',
  firstName: 'Ada',
  lastName: 'Byron',
};

export const test = base.extend<Fixtures>({
  settings: [{}, { option: true }],
  server: async ({ settings }, use) => {
    const server = await startServer(settings);
    await use(server);
    await server.stop();
  },
  app: async ({ page, server }, use) => {
    const faults: Error[] = [];
    page.on('pageerror', (fault) => faults.push(fault));
    await use(new App(page, server));
    expect(faults, 'errors that nothing caught').toEqual([]);
  },
  owner: async ({ app }, use) => {
    await app.prepareOwner();
    await app.open('/');
    await expect(app.page.getByRole('button', { name: 'Upload from Gallery' })).toBeVisible();
    await use(app);
  },
});

export { expect };
