import type { Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { golden } from '../fixtures';

/** Frames a second of a Motion JPEG as Chromium's camera plays it. */
const RATE = 30;

/** Parts that can be laid on the table of the film: drawings that ship with the model, and plain shapes. */
const DRAWINGS = ['brake-rotor', 'coil-spring', 'rim'] as const;
export const PARTS = 10;

type Shot = {
  /** The part on the table, or in the hand; null for none. */
  part: number | null;
  /** How far the hand is in the picture, 0 (out of it) to 1. */
  hand: number;
  /** Whether the hand has the part. */
  carries: boolean;
};

type Seconds = { before: number; lying: number; between: number; after: number };

/**
 * A film of a table: a hand lays down `parts` one after the other and takes each away again. It is played over and
 * over, so that `after` is the time in which a test has to look.
 */
export async function tableFilm(page: Page, parts: number[], seconds: Seconds): Promise<Buffer[]> {
  const film: [Shot, number][] = [];
  const hold = (shot: Shot, time: number) => film.push([shot, Math.round(time * RATE)]);
  const empty: Shot = { part: null, hand: 0, carries: false };
  // A tenth of a second for each place of the hand.
  const reach = (part: number, places: number[], carries: boolean) => {
    for (const hand of places) film.push([{ part, hand, carries }, 3]);
  };
  hold(empty, seconds.before);
  for (const part of parts) {
    reach(part, [0.2, 0.4, 0.6, 0.8, 1], true);
    reach(part, [1, 0.75, 0.5, 0.25], false);
    hold({ part, hand: 0, carries: false }, seconds.lying);
    reach(part, [0.25, 0.5, 0.75, 1], false);
    reach(part, [1, 0.8, 0.6, 0.4, 0.2], true);
    hold(empty, seconds.between);
  }
  hold(empty, seconds.after);

  const drawings = await Promise.all(
    DRAWINGS.map(async (name) => (await readFile(golden(name).path)).toString('base64')),
  );
  const distinct = new Map(film.map(([shot]) => [JSON.stringify(shot), shot]));
  const drawn = await page.evaluate(drawShots, { shots: [...distinct.values()], drawings });
  const jpegs = new Map(
    [...distinct.keys()].map((key, n) => [key, Buffer.from(drawn[n] ?? '', 'base64')]),
  );
  return film.flatMap(([shot, times]) => {
    const jpeg = jpegs.get(JSON.stringify(shot));
    return jpeg === undefined ? [] : Array.from({ length: times }, () => jpeg);
  });
}

/** Runs in the page, which has a canvas. */
async function drawShots({ shots, drawings }: { shots: Shot[]; drawings: string[] }) {
  const images = await Promise.all(
    drawings.map(async (png) => {
      const image = new Image();
      image.src = `data:image/png;base64,${png}`;
      await image.decode();
      return image;
    }),
  );
  const canvas = document.createElement('canvas');
  canvas.width = 640;
  canvas.height = 480;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('no canvas');

  const table = () => {
    const shade = context.createLinearGradient(0, 0, 640, 480);
    shade.addColorStop(0, '#f1efec');
    shade.addColorStop(1, '#d9d6d1');
    context.fillStyle = shade;
    context.fillRect(0, 0, 640, 480);
    context.fillStyle = 'rgb(0 0 0 / 0.03)';
    for (let y = 0; y < 480; y += 24) context.fillRect(0, y, 640, 2);
  };
  const shapes: (() => void)[] = [
    // A bolt, a belt, a pad, a filter, a plug, a wiper and a shoe, as seen from above.
    () => {
      context.fillStyle = '#55585c';
      context.fillRect(-90, -12, 150, 24);
      context.fillRect(60, -30, 36, 60);
    },
    () => {
      context.strokeStyle = '#202225';
      context.lineWidth = 18;
      context.beginPath();
      context.ellipse(0, 0, 130, 60, 0.3, 0, 7);
      context.stroke();
    },
    () => {
      context.fillStyle = '#6d3a2c';
      context.fillRect(-85, -45, 170, 90);
      context.fillStyle = '#2b2b2b';
      context.fillRect(-70, -30, 140, 55);
    },
    () => {
      context.fillStyle = '#b8741c';
      context.fillRect(-60, -90, 120, 180);
      context.fillStyle = '#ded7c5';
      for (let x = -54; x < 54; x += 12) context.fillRect(x, -84, 6, 168);
    },
    () => {
      context.fillStyle = '#e8e8ea';
      context.fillRect(-50, -14, 60, 28);
      context.fillStyle = '#77797c';
      context.fillRect(10, -18, 50, 36);
      context.fillStyle = '#333';
      context.fillRect(-80, -6, 30, 12);
    },
    () => {
      context.fillStyle = '#17181a';
      context.fillRect(-200, -10, 400, 20);
      context.fillRect(-20, -22, 40, 44);
    },
    () => {
      context.strokeStyle = '#3d4a3f';
      context.lineWidth = 40;
      context.beginPath();
      context.arc(0, 40, 100, 3.4, 6);
      context.stroke();
    },
  ];
  const part = (n: number) => {
    const image = images[n];
    if (image === undefined) shapes[(n - images.length) % shapes.length]?.();
    else {
      // The paper that it is drawn on is white: only what is darker covers the table.
      context.globalCompositeOperation = 'multiply';
      context.drawImage(image, -190, -127, 380, 254);
      context.globalCompositeOperation = 'source-over';
    }
  };
  const frame = ({ part: n, hand, carries }: Shot) => {
    table();
    // The hand comes from below; what it carries lies over its fingers.
    const fingers = 480 - hand * 240;
    if (n !== null) {
      context.save();
      context.translate(320, carries ? fingers : 240);
      part(n);
      context.restore();
    }
    if (hand > 0) {
      context.fillStyle = '#c48f6d';
      context.beginPath();
      context.roundRect(270, fingers, 100, 500, 40);
      context.fill();
      context.fillStyle = '#31507a';
      context.fillRect(255, fingers + 150, 130, 400);
    }
    return canvas.toDataURL('image/jpeg', 0.85).split(',')[1] ?? '';
  };
  return shots.map(frame);
}
