package dev.tenure.spring;

/** Something in the application cannot work as it is: what it is, and what to do. */
public class TenureConfigurationException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String remedy;

    public TenureConfigurationException(String problem, String remedy) {
        super(problem + ": " + remedy);
        this.problem = problem;
        this.remedy = remedy;
    }

    public TenureConfigurationException(String problem, String remedy, Throwable cause) {
        this(problem, remedy);
        initCause(cause);
    }

    public String problem() {
        return problem;
    }

    public String remedy() {
        return remedy;
    }
}
