"""Makes answers for the graders: a fixed random sequence of right, wrong and oddly written answers with their gold answers."""

import random

LEADS = [
    "", "The final answer is ", "Answer: ", "So the answer is ", "Therefore, ", "Let me think step by step.\n\nWe add 3 and 4 to get 7.\n",
    "We have $x = 12$ and $y = 5$.\n\n", "**Answer:** ", "Final Answer: ", "First, 17 * 3 = 51. Then 51 - 9 = 42.\nHence ",
]
TAILS = ["", ".", "\n", " I hope it is correct.", ", as required.", " which completes the proof.", "\n\nLet me know if you have questions."]
CHOICE_TEXTS = ["because light is a wave", "since A is larger than B", "as stated above", "which rules out option B", "I am sure"]


def choice(rng, letters):
    gold = rng.choice(letters)
    letter = gold if rng.random() < 0.6 else rng.choice(letters)
    other = rng.choice(letters)
    reason = rng.choice(CHOICE_TEXTS)
    forms = [
        f"{letter}", f" {letter}", f"({letter})", f"{letter}.", f"{letter}\n{reason}", f"{letter}) {reason}", f"**{letter}**",
        f"The answer is ({letter}).", f"The answer is {letter}.", f"{reason}. The answer is ({letter})", f"the answer is ({letter})",
        f"Answer: {letter}", f"Answer: ({letter})", f"answer: {letter}.", f"**Answer: {letter}**", f"Answer:{letter}",
        f"The answer is ({other}). No: the answer is ({letter}).", f"Answer: {other}\nAnswer: {letter}",
        f"The correct option is {letter}", f"I think {letter} {reason}", f"Option ({letter}) {reason}.", f"It is {other} or {letter}.",
        f"{reason}.\n{letter}", f"{reason}.\n**{letter}**", f"The final answer is {letter}", f"The final answer is ({letter}). I hope it is correct.",
        f"Final Answer: {letter}", f"final answer to the question is {letter}", f"\\boxed{{{letter}}}", f"$\\boxed{{{letter}}}$",
        f"{letter.lower()}", f"the answer is {letter.lower()}", f"{reason}", "", "I do not know.", f"The answer is: {letter}",
        f"Answer is {letter}", f"ANSWER: {letter}", f"Answer: {letter}, {reason}", f"{letter}: {reason}", f"{letter} - {reason}",
        f"Step 1: {reason}.\nStep 2: compare {other}.\nThe answer is ({letter})", f"Answer: The {letter} option", f"AB{letter}",
        f"{letter}{letter}", f"The answer is ({letter}) {reason}\n\nQuestion: next\nAnswer: {other}", f"My answer: {letter}.",
        f"The best answer is {letter}.", f"answer is ({letter}", f"Answer - {letter}", f"The answer is **{letter}**.", f"The answer is ({letter}). {reason} {other}.",
    ]
    return rng.choice(forms), gold


def exact(rng):
    words = ["syndrome", "therefrom", "Burley", "bela", "étude", "] )", "}", "cold"]
    usual = ["True", "False", f"({rng.choice('ABCDEFGHIJKLMNOPQR')})", "yes", "no", "valid", "invalid", f"{rng.randint(-99, 999)}", rng.choice("ABCD")]
    gold = rng.choice([*usual, *usual, " ".join(rng.sample(words, rng.randint(2, 4)))])
    other = rng.choice([*usual, gold])
    forms = [gold, f" {gold}\n", f"{gold}.", gold.lower(), gold.upper(), f"The answer is {gold}", other, "", "  ", f"{gold} {gold}", f"\t{gold}\t", f"\u00a0{gold}", f"{gold}\n\nQ: next", gold.replace(" ", "  "), f"**{gold}**", f"A: {gold}"]
    return rng.choice(forms), rng.choice([gold, f" {gold} "])


def gsm8k(rng):
    number = rng.choice([rng.randint(-50, 2000), rng.randint(1000, 2_000_000), round(rng.uniform(0, 200), 2)])
    wrong = number + rng.choice([0, 0, 0, 1, 0.5, 1e-9, -1])
    text = rng.choice([str(wrong), f"{wrong:,}"])
    gold = f"She has {rng.randint(1, 9)} * 2 = <<2*2=4>>4 apples.\n#### {rng.choice([str(number), f'{number:,}'])}"
    forms = [
        f"#### {text}", f"She pays ${text}.\n#### {text}", f"####{text}", f"#### ${text}", f"The answer is {text}.", f"So it is ${text}",
        f"{text}", f"It costs {text} dollars in 3 days", f"3 + 4 = 7, then {text}", f"#### {text}.", f"#### {text}\n#### {rng.randint(1, 99)}",
        f"**{text}**", f"\\boxed{{{text}}}", f"{text}%", f"the result is {text}\nQuestion: 5 apples", "no number", "", f"#### {text} apples",
        f"answer: -{text}", f"{text}.00", f"x={text}", f"#### about {text}", f"{rng.randint(1,9)}:{text}", f".5 and {text}", f"1e3 {text}",
    ]
    return rng.choice(forms), gold


def pairs(rng):
    """Two LaTeX formulas that are equal, or not, in ways that answers of models are."""
    a, b, c, d = (rng.randint(1, 12) for _ in range(4))
    s = rng.choice([2, 3, 5, 6, 7, 10])
    e = rng.choice(["x", "n", "t"])
    table = [
        (f"{a}", f"{a}"), (f"{a}", f"{a+1}"), (f"-{a}", f"{a}"), (f"{a}.0", f"{a}"), (f"{a}{b}{c}0", f"{a}{b}{c}0"), ("1000", "1,000"), ("12{,}345", "12345"),
        (f"\\frac{{{a}}}{{{b}}}", f"{a}/{b}"), (f"\\frac{{{a}}}{{{b}}}", f"\\dfrac{{{2*a}}}{{{2*b}}}"), (f"\\frac{{{a}}}{{{b}}}", f"\\frac{{{b}}}{{{a}}}"),
        ("\\frac{1}{2}", "0.5"), ("\\frac12", "\\frac{1}{2}"), ("\\frac{1}{3}", "0.33333"), ("\\frac{1}{3}", "0.333333"), ("\\frac{1}{3}", "0.33"), ("\\frac{2}{3}", "0.667"),
        (f"{a}\\frac{{1}}{{2}}", f"{a}.5"), (f"{a}\\frac{{1}}{{2}}", f"\\frac{{{2*a+1}}}{{2}}"), (f"-\\frac{{{a}}}{{{b}}}", f"\\frac{{-{a}}}{{{b}}}"),
        (f"\\sqrt{{{s}}}", f"\\sqrt{s}"), (f"{a}\\sqrt{{{s}}}", f"\\sqrt{{{a*a*s}}}"), (f"{a}\\sqrt{{{s}}}", f"\\sqrt{{{s}}}\\cdot {a}"), (f"\\frac{{{a}}}{{\\sqrt{{{s}}}}}", f"\\frac{{{a}\\sqrt{{{s}}}}}{{{s}}}"),
        (f"\\sqrt{{{s}}}+{a}", f"{a}+\\sqrt{{{s}}}"), (f"\\frac{{1}}{{{a}+\\sqrt{{{s}}}}}", f"\\frac{{{a}-\\sqrt{{{s}}}}}{{{a*a-s}}}") if a * a != s else (f"{a}", f"{a}"),
        (f"\\sqrt[3]{{{a**3}}}", f"{a}"), (f"\\sqrt[3]{{16}}", "2\\sqrt[3]{2}"), (f"\\sqrt{{{s}}}", f"{s**0.5:.6f}"), (f"\\sqrt{{{s}}}", f"{s**0.5:.2f}"),
        (f"{a}\\pi", f"\\pi \\cdot {a}"), (f"\\frac{{{a}\\pi}}{{{b}}}", f"\\frac{{{a}}}{{{b}}}\\pi"), (f"{a}\\pi", f"{a*3.14159265:.4f}"), ("\\pi", "3.14"), (f"{a}\\pi", f"{a}"),
        (f"{a}\\%", f"{a}"), (f"{a*10}\\%", f"0.{a}") if a < 10 else (f"{a}", f"{a}"), (f"{a}\\%", f"{a}%"), (f"{a}", f"{a}\\%"), (f"{a}\\text{{ cm}}", f"{a}"), (f"{a}", f"{a}\\text{{ cm}}^2"), (f"{a}\\text{{ cm}}^2", f"{a}\\text{{ m}}"),
        (f"{a}^\\circ", f"{a}"), (f"{a*10}^{{\\circ}}", f"{a*10}^\\circ"), (f"\\${a}", f"{a}"), (f"\\${a}.50", f"{a}.5"), (f"{a}\\text{{ dollars}}", f"\\${a}"),
        (f"({a}, {b})", f"({a},{b})"), (f"({a}, {b})", f"({b},{a})"), (f"\\left({a}, \\frac{{1}}{{2}}\\right)", f"({a}, 0.5)"), (f"({a},{b},{c})", f"({a}, {b}, {c})"), (f"({a},{b})", f"[{a},{b}]"),
        (f"[{a}, {a+b}]", f"[{a}, {a+b}]"), (f"[{a}, {a+b})", f"[{a}, {a+b}]"), (f"[{a}, \\infty)", f"[{a},\\infty)"), (f"(-\\infty, {a})", f"(-\\infty,{a})"), (f"(-\\infty, {a})", f"{e} < {a}"), (f"[{a},{a+b}]", f"{a} \\le {e} \\le {a+b}"),
        (f"(-\\infty, -{a}) \\cup ({b}, \\infty)", f"(-\\infty,-{a})\\cup({b},\\infty)"), (f"(-\\infty, -{a}) \\cup ({b}, \\infty)", f"({b},\\infty)\\cup(-\\infty,-{a})"), (f"(-\\infty, -{a}) \\cup ({b}, \\infty)", f"(-\\infty,-{a}]\\cup({b},\\infty)"),
        (f"\\{{{a},{b},{c}\\}}", f"\\{{{c},{b},{a}\\}}"), (f"{a},{b},{c}", f"{c},{a},{b}"), (f"{a}, {b}", f"{a} \\text{{ and }} {b}"), (f"\\{{{a},{b}\\}}", f"{a},{b}"), (f"{a},{b}", f"{a},{b+1}"), (f"{a},{b},{c}", f"{a},{b}"),
        (f"{e} = {a}", f"{a}"), (f"{a}", f"{e} = {a}"), (f"{e}={a}", f"{e} = {a}"), (f"y = {a}{e} + {b}", f"y={b}+{a}{e}"), (f"y = {a}{e}+{b}", f"{a}{e}+{b}"), (f"{a}{e} - y + {b} = 0", f"y = {a}{e}+{b}"), (f"f({e}) = {a}{e}", f"{a}{e}"),
        (f"{e}^2+{a}{e}+{b}", f"{b}+{a}{e}+{e}^2"), (f"({e}+{a})({e}-{b})", f"{e}^2+{a-b}{e}-{a*b}" if a > b else f"{e}^2-{b-a}{e}-{a*b}"), (f"({e}+{a})^2", f"{e}^2+{2*a}{e}+{a*a}"), (f"({e}+{a})^2", f"{e}^2+{a*a}"), (f"{a}({e}+1)", f"{a}{e}+{a}"),
        (f"\\frac{{{e}+1}}{{{e}^2-1}}", f"\\frac{{1}}{{{e}-1}}"), (f"\\frac{{{e}}}{{{a}}}", f"\\frac{{1}}{{{a}}}{e}"), (f"{a}{e}y", f"{a}y{e}"), (f"{e}^{{{a}}}", f"{e}^{a}" if a < 10 else f"{e}^{{{a}}}"), (f"2^{{{a}}}", f"{2**a}"), (f"2^{{{a}}} \\cdot 3", f"{3*2**a}"),
        (f"{a}i", f"{a}i"), (f"{a}+{b}i", f"{b}i+{a}"), (f"{a}+{b}i", f"{a}-{b}i"), ("i^2", "-1"), (f"{a} \\pm \\sqrt{{{s}}}", f"{a}+\\sqrt{{{s}}}, {a}-\\sqrt{{{s}}}"), (f"{a}\\pm {b}", f"{a} \\pm {b}"),
        (f"\\binom{{{a+3}}}{{2}}", f"{(a+3)*(a+2)//2}"), (f"{min(a,8)}!", str(__import__('math').factorial(min(a, 8)))), (f"\\log_2 {2**a}", f"{a}"), (f"\\ln {a+1}", f"\\ln({a+1})"), ("\\sin 30^\\circ", "\\frac{1}{2}"), ("\\sin\\frac{\\pi}{6}", "\\frac{1}{2}"), ("\\cos\\left(\\frac{\\pi}{4}\\right)", "\\frac{\\sqrt{2}}{2}"), ("e^{2}", "e^2"),
        ("\\text{Evelyn}", "Evelyn"), ("\\text{Evelyn}", "\\text{evelyn}"), ("\\text{Yes}", "\\text{No}"), ("\\text{(B)}", "B"), ("\\text{June 20}", "\\text{June 20}"), ("\\text{odd}", "\\text{odd}"),
        (f"\\begin{{pmatrix}} {a} & {b} \\\\ {c} & {d} \\end{{pmatrix}}", f"\\begin{{pmatrix}}{a}&{b}\\\\{c}&{d}\\end{{pmatrix}}"), (f"\\begin{{pmatrix}} {a} \\\\ {b} \\end{{pmatrix}}", f"\\begin{{bmatrix}} {a} \\\\ {b} \\end{{bmatrix}}"), (f"\\begin{{pmatrix}} {a} \\\\ {b} \\end{{pmatrix}}", f"\\begin{{pmatrix}} {b} \\\\ {a+20} \\end{{pmatrix}}"),
        (f"{a}{b}_{{8}}", f"{a}{b}_8"), (f"10{a%2}_2", f"10{a%2}"), (f"{a}:{b}", f"{a}:{b}"), (f"{a}\\times 10^{{{b}}}", f"{a}\\cdot 10^{{{b}}}"), (f"{a} \\times 10^3", f"{a}000"), (f"|{e}|", f"\\left|{e}\\right|"), (f"\\lfloor {a}.7 \\rfloor", f"{a}"),
        (f"{e} \\ge {a}", f"{e}\\geq {a}"), (f"{e} > {a}", f"{a} < {e}"), (f"{e} > {a}", f"{e} \\ge {a}"), (f"{a} < {e} < {a+b}", f"({a}, {a+b})"), (f"{e} \\in [{a},{a+b}]", f"[{a},{a+b}]"),
        ("\\frac{\\sqrt{3}}{4}", "\\frac{1}{4}\\sqrt{3}"), ("\\sqrt{2+\\sqrt{3}}", "\\frac{\\sqrt{6}+\\sqrt{2}}{2}"), (f"\\sqrt{{{e}^2}}", e), ("\\infty", "\\infty"), ("\\emptyset", "\\emptyset"), ("0", "\\emptyset"), (f"{a}.{b}{c}", f"{a}.{b}{c}"), (f"0.{a}{b}", f"0.{a}{b}1"), (f"{a}.123456", f"{a}.123457"), (f"{a}.12345", f"{a}.123451"),
        (f"\\frac{{{a}}}{{{b}}} \\approx {a/b:.2f}", f"\\frac{{{a}}}{{{b}}}"), (f"{a}\\text{{ or }}{b}", f"{b},{a}"), (f"{a}\\mathrm{{m}}", f"{a}"), (f"{a}\\,000", f"{a}000"), (f"3{e}+{a}y=0", f"{a}y+3{e}=0"), (f"\\frac{{{a}}}{{{b}}}{e}^{{2}}", f"\\frac{{{a}{e}^2}}{{{b}}}"),
    ]
    return rng.choice(table)


def formula(rng, text):
    boxed = f"\\boxed{{{text}}}"
    forms = [
        f"${boxed}$", boxed, f"\\[{boxed}\\]", f"$${boxed}$$", f"\\({boxed}\\)", f"${text}$", f"$${text}$$", f"\\({text}\\)", f"\\[ {text} \\]", f"$x = 3$, so ${boxed}$",
    ]
    weights = [6, 4, 2, 1, 1, 3, 1, 1, 1, 1]
    return rng.choice(LEADS) + rng.choices(forms, weights)[0] + rng.choice(TAILS)


def latex(rng):
    gold, answer = pairs(rng)
    if rng.random() < 0.25:
        answer = gold
    elif rng.random() < 0.5:
        gold, answer = answer, gold
    return formula(rng, answer), rng.choice(LEADS[:8]) + rng.choice([f"$\\boxed{{{gold}}}$.", f"\\boxed{{{gold}}}"])


def expr(rng):
    number = rng.choice([rng.randint(0, 999), rng.randint(0, 999), rng.randint(1000, 99999)])
    wrong = number + rng.choice([0, 0, 0, 1, -3])
    text = rng.choice([f"{wrong}", f"{wrong}", f"{wrong}", f"{wrong:,}", f"{wrong:04d}", f"{wrong}.0", f"{wrong}.00000001", f"\\frac{{{2*wrong}}}{{2}}", f"{wrong - 2} + 2", f"{wrong}^\\circ", f"n = {wrong}", f"{wrong}\\text{{ ways}}"])
    gold = rng.choice([str(number), str(number), f"{number:03d}"])
    if rng.random() < 0.7:
        return formula(rng, text), gold
    plain = [
        f"The answer is {text}", f"Answer: {text}", f"The final answer is {text}. I hope it is correct.", f"{text}", f"We get 3 + 4 = 7 and then {text}.", f"answer = {text}", f"**{text}**", f"The answer is ${text}", f"so m+n = {text}.",
        f"The answer is 12 = {text}", f"I am not sure.", "", f"{text} is it, not 17", f"Final answer: **{text}**", f"the total is {text}%",
    ]
    return rng.choice(plain), gold


def math(rng):
    gold, answer = pairs(rng)
    if rng.random() < 0.25:
        answer = gold
    elif rng.random() < 0.5:
        gold, answer = answer, gold
    forms = [
        f"\\boxed{{{answer}}}", f"\\boxed{{{answer}}}", f"${answer}$ so \\boxed{{{answer}}}.", f"The answer is {answer}.", f"The answer is ${answer}$.", f"Answer: {answer}", f"final answer is {answer}", f"so we get {answer}",
        f"\\boxed{{1}} no, \\boxed{{{answer}}}", f"**Answer**: {answer}\n", f"The final answer is: $\\boxed{{{answer}}}$",
    ]
    return rng.choice(forms), gold


MAKERS = {
    "exact_match": exact,
    "multiple_choice": lambda rng: choice(rng, "ABCD"),
    "mmlu_pro": lambda rng: choice(rng, "ABCDEFGHIJ"),
    "lighteval_gsm8k": gsm8k,
    "lighteval_gpqa": lambda rng: choice(rng, "ABCD"),
    "math": math,
    "lighteval_expr": expr,
    "lighteval_latex": latex,
}


def rows(counts, seed):
    """`counts[grader]` different answers for each grader."""
    made = []
    for grader, count in counts.items():
        rng = random.Random(f"{seed} {grader}")
        seen = {}
        for _ in range(100 * count):
            answer, gold = MAKERS[grader](rng)
            seen.setdefault((answer, gold), None)
            if len(seen) == count:
                break
        made += [{"grader": grader, "answer": answer, "gold": gold} for answer, gold in seen]
    return made
