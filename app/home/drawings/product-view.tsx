import { Drawing, Lines, Mark, Text } from "./drawing";

/** An invented brand and market. The numbers agree with each other and with the MINI plan. */
export function ProductView() {
  return (
    <figure className="stage mt-8" data-markdown="skip">
      <div className="product-view lifted">
        <p className="product-bar">
          <span>Norvane, cargo bikes</span> <span className="badge bg-accent text-on-accent">Example</span>
        </p>
        <TrackedPrompts />
        <TrackedAnswer />
        <Visibility />
      </div>
      <figcaption className="mt-4 text-center text-sm text-muted">
        62 of 100 tracked answers name Norvane, up from 38 in March. Each gap becomes a content brief.
      </figcaption>
    </figure>
  );
}

const prompts = [
  { lines: ["Which cargo bike is", "best for two kids?"], named: true },
  { lines: ["Best electric cargo", "bike for steep hills"], named: true },
  { lines: ["Cargo bike or", "second car?"], named: false },
  { lines: ["How much does a", "cargo bike cost?"], named: true },
  { lines: ["Is a cargo bike safe", "in winter?"], named: false },
];

function TrackedPrompts() {
  return (
    <Drawing
      title="Five tracked prompts about cargo bikes: the answers to three name Norvane, two are gaps"
      height={342}
      className="product-prompts"
    >
      <Text y="20" className="font-bold">
        Tracked prompts
      </Text>
      {prompts.map(({ lines, named }, index) => (
        <g key={lines[0]} transform={`translate(0 ${40 + index * 61})`}>
          <path d="M0 .5H320" className="stroke-line" />
          <Lines x={0} y={26} lines={lines} />
          <Mark x={264} y={18} isNamed={named} />
        </g>
      ))}
    </Drawing>
  );
}

function TrackedAnswer() {
  return (
    <Drawing
      title="ChatGPT is asked which cargo bike is best for two kids. Its answer names the Norvane Duo and cites Norvane’s own guide"
      height={342}
    >
      <Text y="20" className="font-bold">
        ChatGPT’s answer
      </Text>
      <rect x="20" y="52" width="300" height="42" rx="12" className="fill-brand-soft" />
      <Text x="170" y="78" textAnchor="middle">
        Which cargo bike is best for two kids?
      </Text>
      <g className="reply">
        <rect y="122" width="98" height="25" rx="4" className="fill-accent" />
        <Text x="5" y="140" className="fill-on-accent font-bold" textLength="88">
          Norvane Duo
        </Text>
        <Text x="104" y="140">
          is the pick of most testers:
        </Text>
        <Text y="167">a low frame, two seats with harnesses,</Text>
        <Text y="194">
          brakes tested at full load. <Citations numbers={[1, 2]} />
        </Text>
        <Text y="221">
          Tarrio is lighter, but seats one child. <Citations numbers={[2]} />
        </Text>
        <Source y={252} number={1} name="norvane.example/family-guide" />
        <Source y={299} number={2} name="cargobiketests.example" />
      </g>
    </Drawing>
  );
}

function Source({ y, number, name }: { y: number; number: number; name: string }) {
  return (
    <g transform={`translate(0 ${y})`}>
      <rect x=".5" y=".5" width="319" height="38" rx="8" className="fill-none stroke-line" />
      <Text x="14" y="25">
        <Citations numbers={[number]} /> {name}
      </Text>
    </g>
  );
}

function Citations({ numbers }: { numbers: number[] }) {
  return <tspan className="fill-brand font-bold">{numbers.map((number) => `[${number}]`).join(" ")}</tspan>;
}

function Visibility() {
  return (
    <Drawing
      title="Norvane’s visibility: 62 percent of tracked answers name it, after 38 percent in March. Tarrio has 44 percent"
      height={342}
    >
      <Text y="20" className="font-bold">
        Visibility
      </Text>
      <Text y="76" className="figure">
        62%
      </Text>
      <Lines x={108} y={56} lines={["of tracked answers", "name Norvane"]} className="fill-muted" />
      <g transform="translate(0 106)">
        <path d="M0 .5H236M0 38.500H236M0 76.500H236M0 114.500H236" className="stroke-line" />
        <path
          d="M0 33 48 34 96 38 144 40 192 43 236 47"
          className="fill-none stroke-muted"
          strokeWidth="2"
          strokeDasharray="5 4"
        />
        <path
          d="M0 57 48 52 96 41 144 36 192 23 236 14"
          className="drawn fill-none stroke-brand"
          strokeWidth="3.500"
          pathLength="1"
        />
        <circle cx="236" cy="14" r="5" className="fill-brand" />
        <Text x="248" y="19" className="fill-brand font-bold">
          Norvane
        </Text>
        <Text x="248" y="52" className="fill-muted">
          Tarrio 44%
        </Text>
        <Text y="134" className="fill-muted">
          March
        </Text>
        <Text x="236" y="134" className="fill-muted" textAnchor="middle">
          August
        </Text>
      </g>
      <rect x=".5" y="262.500" width="319" height="76" rx="10" className="fill-none stroke-line" />
      <Text x="16" y="291" className="font-bold">
        Content brief
      </Text>
      <Text x="304" y="291" textAnchor="end" className="fill-success font-bold">
        ready
      </Text>
      <Text x="16" y="318" className="fill-muted">
        Closes the gap “Cargo bike or second car?”
      </Text>
    </Drawing>
  );
}
