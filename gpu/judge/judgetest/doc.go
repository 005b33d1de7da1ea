// Package judgetest holds what every evaluator has to keep, for the tests of each. It
// knows no device and judges nothing; only tests import it. Start at [Hold].
package judgetest
