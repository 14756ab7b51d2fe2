import { piece, type Assembly } from '@/components/drawings/assembly';
import { Cylinder, Rings, Spring } from '@/components/drawings/solids';

export const DOUBLE_WISHBONE: Assembly = {
  name: 'Double-wishbone suspension',
  pieces: [
    piece(
      { name: 'upper arm', labels: ['upper-control-arm', 'control-arm-bushing'], at: [86, 43] },
      <path d="M28 34H44L116 48a9 9 0 0 1 0 18L44 80H28V72L78 60v-6L28 42Z" />,
      <path d="M20 30h14v16h-14zM20 34h14M20 42h14M20 68h14v16h-14zM20 72h14M20 80h14" />,
      <circle cx="116" cy="57" r="4" />,
    ),
    piece(
      { name: 'lower arm', labels: ['lower-control-arm'], at: [131, 110] },
      <path d="M22 98H42L130 110a9 9 0 0 1 0 18L42 142H22V134L82 122v-6L22 106Z" />,
      <path d="M12 94h16v16h-16zM12 98h16M12 106h16M12 130h16v16h-16zM12 134h16M12 142h16" />,
      <path d="M96 106v28" fill="none" />,
      <circle cx="130" cy="119" r="4.5" />,
    ),
    piece(
      { name: 'ball joints', labels: ['ball-joint'], at: [163, 44] },
      <path d="M151 48q12 -10 24 0zM149 48h28v6h-28zM154 54h18l-4 8h-10zM159 62h8v14h-8zM159 70h8" />,
      <path d="M159 88h8v14h-8zM159 92h8M158 102h10l4 8h-18zM149 110h28v6h-28zM151 116q12 10 24 0z" />,
    ),
    piece(
      { name: 'knuckle', labels: ['steering-knuckle'], at: [206, 36] },
      <path d="M196 36h20v10l-6 4q2 14 16 18l8 10v24l-10 12h-8l-2 14h-18l-2 -14q-6 -4 -6 -12l-16 -2v-8l16 -4q0 -10 6 -14l2 -24z" />,
      <circle cx="212" cy="88" r="14" />,
      <circle cx="212" cy="88" r="7" className="fill-canvas" />,
    ),
    piece(
      { name: 'hub', labels: ['wheel-hub-bearing', 'wheel-stud'], at: [270, 60] },
      <Cylinder x={252} y={88} r={12} length={16} />,
      <Cylinder x={266} y={88} r={28} length={7} />,
      <path d="M279 68h10M282 80h10M282 96h10M279 108h10" />,
    ),
    piece(
      { name: 'shock absorber', labels: ['shock-absorber'], at: [324, 36] },
      <path d="M321 42h6v22h-6zM313 60h22v44h-22zM316 64v36" />,
      <Rings x={324} y={41} r={[6, 2]} />,
      <Rings x={324} y={110} r={[6, 2]} />,
    ),
    piece(
      { name: 'torsion bar with its key', labels: ['torsion-bar'], at: [241, 132] },
      <Cylinder x={176} y={136} r={4} length={130} />,
      <Cylinder x={172} y={136} r={6} length={12} />,
      <path d="M318 130l28 5v7l-28 2zM336 121h6v15h-6zM333 117h12v5h-12z" />,
      <path d="M304 127h14v18h-14z" />,
    ),
  ],
};

export const MULTI_LINK: Assembly = {
  name: 'Multi-link rear suspension',
  pieces: [
    piece(
      { name: 'subframe with its bushings', labels: ['subframe-bushing'], at: [24, 38] },
      <path d="M34 42q40 8 64 0v12q-8 4 -10 10v44q2 8 10 12v12q-30 -8 -64 0v-12q8 -4 10 -12v-44q-2 -6 -10 -10zM54 62v48q14 -5 24 0V62q-14 5 -24 0z" />,
      [48, 126].flatMap((y) =>
        [24, 106].map((x) => (
          <g key={`${x} ${y}`}>
            <circle cx={x} cy={y} r="10" />
            <circle cx={x} cy={y} r="5" />
            <circle cx={x} cy={y} r="1.5" />
          </g>
        )),
      ),
    ),
    piece(
      { name: 'upper arm', labels: ['upper-control-arm'], at: [172, 39] },
      <path d="M140 50Q172 28 204 44v9Q172 38 144 59z" />,
      <Rings x={138} y={56} r={[8, 3]} />,
      <Rings x={206} y={49} r={[7, 2.5]} />,
    ),
    piece(
      { name: 'lateral link', labels: ['lateral-link'], at: [156, 80] },
      <path d="M138 80h68v7h-68zM164 77h16v13h-16zM168 77v13M172 77v13M176 77v13" />,
      <Rings x={136} y={83.5} r={[7, 2.5]} />,
      <Rings x={208} y={83.5} r={[7, 2.5]} />,
    ),
    piece(
      { name: 'lower arm', labels: ['lower-control-arm'], at: [184, 108] },
      <path d="M138 112h16q6 -6 12 -6h24q6 0 12 6h10v16h-10q-6 6 -12 6h-24q-6 0 -12 -6h-16z" />,
      <ellipse cx="178" cy="120" rx="15" ry="9" />,
      <Rings x={136} y={120} r={[9, 3.5]} />,
      <Rings x={214} y={120} r={[9, 3.5]} />,
    ),
    piece(
      {
        name: 'knuckle with its hub',
        labels: ['steering-knuckle', 'wheel-hub-bearing'],
        at: [248, 36],
      },
      <path d="M242 36h13l3 20q14 4 16 18l-2 14 -10 8 -1 16h-13l-3 -16q-12 -6 -12 -20l2 -10q1 -6 5 -8z" />,
      <Rings x={254} y={76} r={[14, 6]} />,
      <path d="M254 65v.1M264 73v.1M260 85v.1M248 85v.1M244 73v.1" strokeWidth="3" />,
    ),
    piece(
      { name: 'trailing arm', labels: ['trailing-arm'], at: [286, 122] },
      <path d="M248 124Q290 116 322 126l2 12Q290 126 250 136z" />,
      <Rings x={246} y={130} r={[8, 3]} />,
      <Rings x={330} y={132} r={[13, 7, 2.5]} />,
    ),
    piece(
      { name: 'spring', labels: ['coil-spring'], at: [302, 40] },
      <Spring x={302} top={40} bottom={96} r={15} turns={5} />,
    ),
    piece(
      { name: 'shock absorber', labels: ['shock-absorber'], at: [340, 34] },
      <path d="M337.5 40h5v20h-5zM332 56h16v42h-16z" />,
      <circle cx="340" cy="39" r="5" />,
      <circle cx="340" cy="103" r="5" />,
    ),
  ],
};
