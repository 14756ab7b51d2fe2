import { piece, type Assembly } from '@/components/drawings/assembly';
import { Block, Cylinder, Ellipse, Holes, Spring, Teeth, Tube } from '@/components/drawings/solids';

export const DISC_BRAKE: Assembly = {
  name: 'Disc brake',
  axis: 'M14 90H200',
  pieces: [
    piece(
      {
        name: 'hub with its bearing',
        labels: ['wheel-hub-bearing', 'wheel-stud'],
        at: [40, 64],
      },
      <path d="M46 72h14M48 82h14M48 98h14M46 108h14" />,
      <Cylinder x={36} y={90} r={27} length={7} />,
      <Cylinder x={20} y={90} r={17} length={14} hole={8} />,
    ),
    piece(
      { name: 'dust shield', labels: ['brake-dust-shield'], at: [86, 52] },
      <Cylinder x={84} y={90} r={38} length={3} hole={16} />,
      <path d="M84 52v22M84 106v22" />,
    ),
    piece(
      { name: 'rotor', labels: ['brake-rotor'], at: [146, 46] },
      <Cylinder x={152} y={90} r={23} length={14} />,
      <Cylinder x={138} y={90} r={44} length={10} hole={14} />,
      <Ellipse x={138} y={90} r={26} />,
      <Ellipse x={138} y={90} r={14} />,
      <Holes x={138} y={90} r={20} count={5} />,
    ),
    piece(
      { name: 'pads', labels: ['brake-pad', 'brake-pad-wear-sensor'], at: [216, 60] },
      [200, 222].map((x) => (
        <g key={x}>
          <path d={`M${x + 4} 68l12 -8h4v52l-12 8h-4zM${x + 4} 68h4l12 -8M${x + 8} 68v52`} />
          <path d={`M${x - 2} 76l8 -6h4v36l-8 6h-4zM${x - 2} 76h4l8 -6M${x + 2} 76v36`} />
        </g>
      )),
    ),
    piece(
      { name: 'caliper bracket', labels: ['brake-caliper-bracket'], at: [266, 56] },
      <path d="M256 56h20v12h-10v44h10v12h-20v-14h4V70h-4zM262 84a3 3 0 1 0 .1 0M262 96a3 3 0 1 0 .1 0" />,
    ),
    piece(
      {
        name: 'caliper with its hose',
        labels: ['brake-caliper', 'brake-hose', 'electronic-parking-brake-actuator'],
        at: [314, 52],
      },
      <Tube path="M332 98C350 100 346 124 326 130" width={4} />,
      <path d="M296 56q18 -10 36 0l6 10v48l-6 10q-18 10 -36 0l-4 -12h12V68h-12z" />,
      <Cylinder x={306} y={90} r={15} length={12} hole={9} />,
    ),
  ],
};

export const DRUM_BRAKE: Assembly = {
  name: 'Drum brake',
  axis: 'M14 90H346',
  pieces: [
    piece(
      { name: 'backing plate', labels: [], at: [46, 46] },
      <Cylinder x={40} y={90} r={44} length={4} hole={14} />,
      <Holes x={40} y={90} r={22} count={4} />,
    ),
    piece(
      { name: 'wheel cylinder', labels: ['wheel-cylinder'], at: [98, 54] },
      <path d="M90 54h18v14h-18zM84 58h6v6h-6zM108 58h6v6h-6z" />,
      <path d="M99 54v-4M95 61h8" />,
    ),
    piece(
      { name: 'shoes', labels: ['brake-shoe', 'parking-brake-shoe'], at: [150, 48] },
      <path d="M150 48C126 58 126 122 150 132L154 124C136 114 136 66 154 56Z" />,
      <path d="M154 58C140 70 140 110 154 122L158 116C148 106 148 74 158 64Z" />,
      <path d="M186 48C210 58 210 122 186 132L182 124C200 114 200 66 182 56Z" />,
      <path d="M182 58C196 70 196 110 182 122L178 116C188 106 188 74 178 64Z" />,
    ),
    piece(
      { name: 'springs and clips', labels: ['brake-drum-hardware-kit'], at: [234, 64] },
      <Spring x={234} top={66} bottom={100} r={6} turns={6} />,
      <path d="M234 58v6M234 104v8M224 120h20v6h-20zM224 123h-6M244 123h6" />,
    ),
    piece(
      { name: 'drum', labels: ['brake-drum'], at: [304, 46] },
      <Cylinder x={286} y={90} r={44} length={34} hole={37} />,
      <Ellipse x={300} y={90} r={12} />,
      <Holes x={300} y={90} r={20} count={5} />,
    ),
  ],
};

export const BRAKE_HYDRAULICS: Assembly = {
  name: 'Brake pedal to brake',
  axis: 'M40 84H214',
  pieces: [
    piece(
      { name: 'pedal and its switch', labels: ['brake-light-switch'], at: [30, 48] },
      <path d="M28 40h8l-4 70h10v10h-24v-8z" />,
      <path d="M40 60h12v8h-12z" />,
    ),
    piece(
      { name: 'vacuum booster', labels: ['vacuum-brake-booster'], at: [92, 44] },
      <path d="M54 84h22" strokeWidth="4" />,
      <Cylinder x={96} y={84} r={34} length={10} />,
      <Cylinder x={80} y={84} r={40} length={14} />,
      <Ellipse x={80} y={84} r={12} />,
      <Holes x={80} y={84} r={24} count={4} />,
    ),
    piece(
      { name: 'master cylinder', labels: ['brake-master-cylinder'], at: [180, 74] },
      <path d="M146 70h8v28h-8z" />,
      <Cylinder x={154} y={84} r={10} length={48} />,
      <path d="M164 94v6h8v-6M184 94v6h8v-6M162 70v4h8v-4M182 70v4h8v-4" />,
    ),
    piece(
      { name: 'fluid reservoir', labels: ['brake-fluid-reservoir'], at: [176, 32] },
      <path d="M156 40h40l-2 22h-36zM160 62v4h8v-4M184 62v4h8v-4" />,
      <path d="M168 32h16v8h-16zM158 52h36" />,
    ),
    piece(
      {
        name: 'ABS unit and proportioning valve',
        labels: ['abs-module', 'proportioning-valve'],
        at: [244, 56],
      },
      <Block x={226} y={64} width={30} height={34} depth={12} />,
      <path d="M232 72h18M232 80h18" />,
      <Cylinder x={216} y={84} r={11} length={10} />,
    ),
    piece(
      { name: 'brake line', labels: ['brake-line'], at: [208, 124] },
      <Tube path="M188 100V124H234V98M248 98V124H286V100" width={2} />,
    ),
    piece(
      { name: 'brake hose', labels: ['brake-hose'], at: [300, 74] },
      <Tube path="M286 102C286 74 300 72 306 74S318 84 322 84" width={4} />,
    ),
    piece(
      { name: 'caliper', labels: ['brake-caliper', 'wheel-cylinder'], at: [338, 62] },
      <path d="M322 66q14 -8 28 0v40q-14 8 -28 0v-10h10V76h-10z" />,
      <Ellipse x={342} y={86} r={8} />,
    ),
    piece(
      { name: 'parking brake cable', labels: ['parking-brake-cable'], at: [110, 138] },
      <Tube path="M44 138H180" width={2} />,
      <Teeth x={36} y={138} r={6} length={8} />,
    ),
  ],
};
