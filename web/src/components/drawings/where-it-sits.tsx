import type { ReactNode } from 'react';
import { Cabin, CarPlan, CarSide, Engine } from '@/components/drawings/car-views';
import { NameLeader } from '@/components/drawings/name-leader';
import { PLACES, type CarView, type PartPosition } from '@/components/drawings/positions';

const WIDTH = 320;
const HEIGHT = 132;

/** The engine beside the car that it is in. */
const ENGINE_VIEW = (
  <>
    <g transform="translate(-4 58) scale(.32)" className="[&_*]:[vector-effect:non-scaling-stroke]">
      <CarSide />
      <path d="M44 76L104 66L108 100H50Z" className="fill-accent/20 stroke-accent" />
    </g>
    <path d="M34 84L100 44M34 91L100 112" strokeDasharray="2 3" />
    <Engine />
  </>
);

const VIEWS: Record<CarView, ReactNode> = {
  side: <CarSide />,
  plan: <CarPlan />,
  cabin: <Cabin />,
  engine: ENGINE_VIEW,
};

const SEEN_FROM: Record<CarView, string> = {
  side: 'from the side',
  plan: 'from above',
  cabin: 'in the cabin',
  engine: 'at the engine',
};

type WhereItSitsProps = { name: string; position: PartPosition };

/** A car with the place of a part pointed out. */
export function WhereItSits({ name, position }: WhereItSitsProps) {
  const { view, words, shape, at } = PLACES[position];
  return (
    <figure className="grid content-start gap-2">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${name}, pointed out on a car ${SEEN_FROM[view]}`}
        className="h-auto w-full rounded-md border bg-canvas/50"
        fill="none"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        <g className="stroke-control">{VIEWS[view]}</g>
        <path d={shape} className="fill-accent/25 stroke-accent" />
        <NameLeader name={name} at={at} width={WIDTH} />
      </svg>
      <figcaption className="text-sm text-soft">{words}.</figcaption>
    </figure>
  );
}
